/**
 * The service is killed, as by `kill -9`, in the middle of an audit.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import {
  AnsweringUpstream,
  assertAuditsSeparate,
  AUDIT_MODELS,
  AUDIT_WALLET,
  auditConfig,
  SHORT_REQUEST,
} from "../../fixtures/audit_lab.ts";
import { ADMIN_TOKEN, BOOTSTRAP_KEY, TestService, until } from "../../fixtures/service.ts";
import { ServiceProcess } from "../../fixtures/service_process.ts";

const ENV = { SERVICE_ADMIN_TOKEN: ADMIN_TOKEN, SERVICE_BOOTSTRAP_KEY: BOOTSTRAP_KEY };
/** Requests among which one in twenty is audited: none of them with a chance of 1 in 10^13. */
const REQUESTS_MAX = 600;
/** The model that an audit asks first. */
const BEST = "best";

async function admin(url: string, path: string, body: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/admin/v1${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  assert(response.ok, JSON.stringify(answer));
  return answer;
}

Deno.test("kill -9 in the middle of an audit bills no wallet but the operator's", async () => {
  const folder = await Deno.makeTempDir();
  await using upstream = new AnsweringUpstream();
  const over = Promise.withResolvers<void>();
  try {
    const kvPath = `${folder}/svc.kv`;
    const config = `${folder}/svc.json`;
    await Deno.writeTextFile(config, JSON.stringify(auditConfig(upstream.baseUrl)));
    await using first = await ServiceProcess.start(kvPath, ENV, { config });
    await admin(first.adminUrl, "/wallets", { id: AUDIT_WALLET, credits: "1000" });
    await admin(first.adminUrl, "/wallets", { id: "caller", credits: "1000" });
    const policy = { auto: { audits: true } };
    const key = await admin(first.adminUrl, "/keys", { name: "caller", wallet: "caller", policy });
    // An audit asks the best model first. Requests that follow one another may be audited at once.
    let begun = 0;
    let second = 0;
    for (const { id } of AUDIT_MODELS) {
      upstream.on(id, async (_, isAudit) => {
        if (isAudit) begun++;
        if (isAudit && id !== BEST) {
          second++;
          await over.promise;
        }
        return "Lima";
      });
    }
    for (let requests = 0; begun === 0 && requests < REQUESTS_MAX; requests++) {
      const response = await fetch(`${first.publicUrl}/openai/v1/chat/completions`, {
        method: "POST",
        headers: { authorization: `Bearer ${key.key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: "auto", ...SHORT_REQUEST }),
      });
      assertEquals(response.status, 200, await response.text());
    }
    await until(() => second > 0, "the second call of an audit");
    await first.end("SIGKILL");
    over.resolve();

    await using service = await TestService.start({ kvPath });
    const entries = await assertAuditsSeparate(service);
    const openings = entries.filter(({ op }) => op === "hold");
    const endings = entries.filter(({ op }) => op !== "hold");
    assertEquals(openings.length, endings.length);
    assertEquals(new Set(endings.map(({ op }) => op)), new Set(["settle", "expire"]));
    await service.assertBooks();
    const { spent } = await service.wallet(AUDIT_WALLET);
    const day = new Date().toISOString().slice(0, 10);
    // The killed audit counts with its reservation, so that the budget holds after a restart.
    assert(await service.running.stores.auditStore.spentOn(day) > spent);
  } finally {
    over.resolve();
    await Deno.remove(folder, { recursive: true });
  }
});
