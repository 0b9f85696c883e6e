/**
 * The money of audits: their budget, the operator's wallet, and what operators see of both.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertLessOrEqual, assertMatch } from "@std/assert";
import { AUDIT_KEY_ID } from "../../../gateway/domain/policy/key.ts";
import {
  askChat,
  assertAuditsSeparate,
  AUDIT_WALLET,
  audited,
  type AuditLab,
  auditLab,
  auditsOf,
  CONSENT,
  SHORT_REQUEST,
} from "../../fixtures/audit_lab.ts";
import { INPUT_MICROS, OUTPUT_MICROS } from "../../fixtures/lab.ts";
import { ADMIN_TOKEN, ManualClock, TestService, until } from "../../fixtures/service.ts";

/** Cost of one call of the cheapest model, the standard price halved. */
const CHEAPER_MICROS = (20n * INPUT_MICROS + 4n * OUTPUT_MICROS) / 2n;
/** Cost of an audit: of the best model, the cheap one and the cheapest. */
const AUDIT_MICROS = 23n * CHEAPER_MICROS;

async function spent({ service }: AuditLab): Promise<bigint> {
  return (await service.wallet(AUDIT_WALLET)).spent;
}

/** The counter of audits by their end. */
async function ends(service: TestService): Promise<Record<string, number>> {
  const page = await metricsPage(service);
  const rows = page.matchAll(/^svc_audits_total\{end="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...rows].map(([, end, count]) => [end, Number(count)]));
}

async function metricsPage({ running }: TestService): Promise<string> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await fetch(`${running.adminUrl}/metrics`, { headers });
  assertEquals(response.status, 200);
  return await response.text();
}

/** Lines about audits in the operator's log. */
function stops({ service }: AuditLab): readonly string[] {
  return service.logs.filter(({ event }) => event === "audits_stopped")
    .map(({ level, fields }) => `${level}: ${fields.message}`);
}

Deno.test("an audit costs the operator its calls and the caller nothing", async () => {
  await using lab = await auditLab();
  const { service, key } = lab;
  await askChat(lab);
  await until(async () => (await spent(lab)) > 0n, "the audit");
  await audited(lab);
  assertEquals(await spent(lab), AUDIT_MICROS);
  assertLessOrEqual((await service.wallet(key.wallet)).spent, 20n * CHEAPER_MICROS);
  const entries = await assertAuditsSeparate(service);
  assertEquals(entries.filter(({ op }) => op === "settle").length, 3);
  await service.assertBooks();
});

Deno.test("audits at the same time never exceed the daily budget, and the next day has its own", async () => {
  const clock = new ManualClock();
  // Enough for six audits, whose holds are larger than their cost.
  const dailyBudget = "2";
  await using lab = await auditLab({ clock, audits: { dailyBudget } });
  const { service } = lab;
  await Promise.all(Array.from({ length: 12 }, () => askChat(lab)));
  await audited(lab);
  const first = await spent(lab);
  assertGreater(first, 0n);
  assertLessOrEqual(first, 2_000_000n);
  const days = service.running.stores.auditStore;
  assertEquals(await days.spentOn("2026-01-15"), first);
  for (let at = 0; at < 4; at++) {
    await askChat(lab);
    await audited(lab);
  }
  assertLessOrEqual(await spent(lab), 2_000_000n);
  clock.advance(24 * 60 * 60 * 1_000);
  await askChat(lab);
  await audited(lab);
  assertGreater(await days.spentOn("2026-01-16"), 0n);
  assertLessOrEqual(await days.spentOn("2026-01-16"), 2_000_000n);
  await assertAuditsSeparate(service);
  await service.assertBooks();
});

Deno.test("a call of an audit holds at most the rest of the budget", async () => {
  // The hold of the best model, which asks for 50 tokens of output, is larger.
  await using lab = await auditLab({ audits: { dailyBudget: "0.9" } });
  await askChat(lab);
  await audited(lab);
  for (const entry of await assertAuditsSeparate(lab.service)) {
    if (entry.op === "hold") assertLessOrEqual(entry.amount, 900_000n);
  }
  assertGreater(await spent(lab), 0n);
});

/** Reasons for which the operator's wallet cannot pay, with the line that says so. */
const OBSTACLES: Readonly<
  Record<string, {
    readonly options: Parameters<typeof auditLab>[0];
    readonly line: RegExp;
  }>
> = {
  "does not exist": {
    options: { credits: undefined },
    line: /^error: The wallet "operator-audits" of audits does not exist$/,
  },
  "is empty": {
    options: { credits: "0" },
    line: /^error: The wallet "operator-audits" of audits has no credits$/,
  },
};

for (const [state, { options, line }] of Object.entries(OBSTACLES)) {
  Deno.test(`one line says that the wallet of audits ${state}, and callers notice nothing`, async () => {
    await using lab = await auditLab(options);
    const { service, upstream } = lab;
    for (let at = 0; at < 5; at++) await askChat(lab);
    await audited(lab);
    assertEquals(upstream.calls.length, 5);
    assertEquals(stops(lab).length, 1);
    assertMatch(stops(lab)[0] ?? "", line);
    const check = await service.admin("GET", "/catalog/check");
    assertEquals(check.ok, false);
    assertMatch(`error: ${check.audits}`, line);
    await assertAuditsSeparate(service);
    // Audits begin once the wallet can pay.
    if (state === "is empty") {
      await service.admin("POST", `/wallets/${AUDIT_WALLET}/credit`, { credits: "10" });
    } else await service.admin("POST", "/wallets", { id: AUDIT_WALLET, credits: "10" });
    await askChat(lab);
    await audited(lab);
    assertEquals(auditsOf(lab).length, 1);
    assertEquals((await service.admin("GET", "/catalog/check")).audits, null);
  });
}

Deno.test("a wallet with API keys pays for no audit", async () => {
  await using lab = await auditLab();
  const { service, upstream } = lab;
  const policy = CONSENT;
  const made = await service.admin("POST", "/keys", { name: "own", wallet: AUDIT_WALLET, policy });
  await askChat(lab);
  await askChat({ service, key: { id: "", wallet: AUDIT_WALLET, key: String(made.key) } });
  await audited(lab);
  assertEquals(upstream.calls.length, 2);
  assertEquals(stops(lab).length, 1);
  assertMatch(stops(lab)[0] ?? "", /has API keys: audits need a separate wallet/);
});

Deno.test("a wallet pays for no audit from the moment that it has an API key", async () => {
  await using lab = await auditLab();
  const { service, upstream } = lab;
  await askChat(lab);
  await audited(lab);
  const before = upstream.calls.length;
  await service.admin("POST", "/keys", { name: "own", wallet: AUDIT_WALLET });
  await askChat(lab);
  await audited(lab);
  assertEquals([upstream.calls.length, stops(lab).length], [before + 1, 1]);
});

Deno.test("an unknown tier of the wallet of audits is one line", async () => {
  const text = { en: "Gone", zh: "Gone" };
  const gone = {
    ...{ id: "gone", creditsPerUsd: "1000", models: "*" },
    ...{ name: text, description: text },
  };
  await using lab = await auditLab({ credits: undefined, tiers: [gone] });
  const { service, upstream } = lab;
  await service.admin("POST", "/wallets", { id: AUDIT_WALLET, credits: "10", tier: "gone" });
  const { stores } = service.running;
  const { version, updatedAtMs: _, ...content } = stores.catalogs.current();
  const tiers = content.tiers.filter(({ id }) => id !== "gone");
  await stores.catalogs.apply({ ...content, tiers }, { expected: version, note: "", atMs: 1 });
  for (let at = 0; at < 3; at++) await askChat(lab);
  await audited(lab);
  assertEquals(upstream.calls.length, 3);
  assertEquals(stops(lab).length, 1);
  assertMatch(stops(lab)[0] ?? "", /cannot pay: The wallet's tier "gone" is not in the catalog$/);
});

Deno.test("operators see audits under a key of their own, and metrics of callers do not count them", async () => {
  await using lab = await auditLab();
  const { service } = lab;
  await askChat(lab);
  await audited(lab);
  await service.quiet();
  const { requests } = await service.admin("GET", `/requests?key=${AUDIT_KEY_ID}`);
  assert(Array.isArray(requests));
  assertEquals(requests.length, 3);
  for (const { id, key, wallet, requestId } of requests) {
    assertEquals([key, wallet], [AUDIT_KEY_ID, AUDIT_WALLET]);
    assertMatch(requestId, /^audit_/);
    const detail = await service.admin("GET", `/requests/${id}`);
    assertEquals([detail.key, detail.outcome], [AUDIT_KEY_ID, "ok"]);
    assert(!JSON.stringify(detail).includes("Peru"));
  }
  const { usage } = await service.admin("GET", "/usage?by=key");
  assert(Array.isArray(usage));
  const own = usage.find(({ key }) => key === AUDIT_KEY_ID);
  assertEquals([own?.name, own?.charged], ["Audits", "0.322000"]);
  const page = await metricsPage(service);
  const counted = [...page.matchAll(/^svc_requests_total\{.*\} (\d+)$/gm)];
  assertEquals(counted.map(([, count]) => count), ["1"]);
  assertEquals(await ends(service), { compared: 1 });
  assertEquals([...page.matchAll(/^svc_audit_calls_total\{.*outcome="ok"\} 1$/gm)].length, 3);
  assertEquals((await service.running.stores.verify()).problems, []);
});

Deno.test("large prompts beyond the memory of audits are not audited", async () => {
  await using lab = await auditLab({
    audits: { dailyBudget: "1000" },
    models: ["best", "cheap"].map((id) => ({
      id,
      quality: id === "best" ? 0.9 : 0.6,
      price: { inputPerMTok: id === "best" ? "0.01" : "0.001", outputPerMTok: "0.01" },
      more: { contextTokens: 10_000_000 },
    })),
  });
  const { service, upstream } = lab;
  const { audits } = service.running.gateway;
  const gate = Promise.withResolvers<void>();
  const callers = 6;
  for (const model of ["best", "cheap"]) {
    upstream.on(model, async ({ messages }) => {
      const isAudit = upstream.calls.filter(({ body }) =>
        body.messages[0]?.content ===
          messages[0]?.content
      ).length > 1;
      if (isAudit) await gate.promise;
      return "Lima";
    });
  }
  for (let at = 0; at < callers; at++) {
    const content = `${at} ${"tide ".repeat(260_000)}`;
    await askChat(lab, { ...SHORT_REQUEST, messages: [{ role: "user", content }] });
    assertLessOrEqual(audits.chars, 4 * 1024 * 1024);
  }
  gate.resolve();
  await audited(lab);
  assertEquals(audits.chars, 0);
  assertEquals(await ends(service), { compared: 3, no_memory: 3 });
});

Deno.test("small prompts that wait count with all that is kept of them", async () => {
  await using lab = await auditLab({ audits: { dailyBudget: "1000" } });
  const { audits } = lab.service.running.gateway;
  const gate = Promise.withResolvers<void>();
  lab.upstream.on("best", () => gate.promise.then(() => "Lima"));
  const requests = 12;
  for (let at = 0; at < requests; at++) await askChat(lab);
  // However small they are, no more than some hundred wait.
  assert(audits.chars >= requests * 4 * 1024 * 1024 / 600, `${audits.chars}`);
  gate.resolve();
  await audited(lab);
  assertEquals(audits.chars, 0);
});

Deno.test("consent that is withdrawn while an audit waits ends it", async () => {
  await using lab = await auditLab();
  const { service, upstream, key } = lab;
  const gate = Promise.withResolvers<void>();
  const WAITING = "Name another capital";
  const callsOf = (content: string) =>
    upstream.calls.filter(({ body }) => body.messages[0]?.content === content).length;
  const ask = (content: string) =>
    askChat(lab, { ...SHORT_REQUEST, messages: [{ role: "user", content }] });
  for (const model of ["best", "cheap"]) {
    upstream.on(model, async ({ messages }) => {
      const content = String(messages[0]?.content);
      // The audits of the first two requests do not go on before consent is withdrawn.
      if (content !== WAITING && callsOf(content) > 1) await gate.promise;
      return "Lima";
    });
  }
  // Two audits run at once: the third waits for them.
  for (const content of ["Name a capital", "Name a town"]) {
    await ask(content);
    await until(() => callsOf(content) > 1, "the audit to begin");
  }
  await ask(WAITING);
  await service.admin("POST", `/keys/${key.id}/revoke`, {});
  gate.resolve();
  await audited(lab);
  assertEquals(callsOf(WAITING), 1);
});

Deno.test("a stop ends an audit and its hold, and does not wait for its model", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const kvPath = `${folder}/svc.kv`;
    const lab = await auditLab({ kvPath });
    const { service, upstream } = lab;
    const over = Promise.withResolvers<void>();
    upstream.on("best", async () => {
      if (upstream.calls.length > 1) await over.promise;
      return "Lima";
    });
    await askChat(lab);
    await until(() => upstream.models.includes("best"), "the audit to begin");
    await service.running.stop();
    over.resolve();
    await lab[Symbol.asyncDispose]();
    await using next = await TestService.start({ kvPath });
    const entries = await assertAuditsSeparate(next);
    assertEquals(entries.map(({ op }) => op), ["hold", "void"]);
    assertEquals(await next.running.stores.ledger.openHolds(), []);
    assertEquals((await next.wallet(AUDIT_WALLET)).spent, 0n);
    await next.assertBooks();
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
