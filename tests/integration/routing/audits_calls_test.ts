/**
 * Audits over HTTP: which requests are audited, what is asked, and what is learned.
 *
 * @module
 */

import { assertEquals, assertGreater } from "@std/assert";
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
import { completion } from "../../fixtures/lab.ts";
import { answered, postResponse } from "../../fixtures/responses_calls.ts";
import { until } from "../../fixtures/service.ts";

const PANEL = ["best", "cheap", "cheaper"];

/** The calls that audits have made, which follow those of callers. */
function auditCalls({ upstream }: AuditLab, callers = 1): readonly string[] {
  return upstream.models.slice(callers).toSorted();
}

for (const stream of [false, true]) {
  const how = stream ? "stream" : "JSON";

  Deno.test(`a chat request is audited after its answer, ${how}`, async () => {
    await using lab = await auditLab();
    const { service, upstream, key } = lab;
    const gate = Promise.withResolvers<void>();
    const texts: Record<string, string> = { best: "lima.", cheap: "Lima", cheaper: "Cusco" };
    for (const model of PANEL) {
      upstream.on(model, async () => {
        if (upstream.calls.length > 1) await gate.promise;
        return texts[model] ?? "";
      });
    }
    await askChat(lab, stream ? { stream, stream_options: { include_usage: true } } : {});
    // The caller has the whole answer while the audit waits for its first.
    await until(() => upstream.calls.length === 2, "the audit to begin");
    const charged = (await service.wallet(key.wallet)).spent;
    gate.resolve();
    await audited(lab);
    assertEquals(auditCalls(lab), PANEL);
    assertEquals(auditsOf(lab), [["best 0", "cheap 0", "cheaper 1"]]);
    assertEquals((await service.wallet(key.wallet)).spent, charged);
    assertGreater((await service.wallet(AUDIT_WALLET)).spent, 0n);
    for (const { body } of upstream.calls.slice(1)) {
      assertEquals([body.stream ?? false, body["stream_options"]], [false, undefined]);
      assertEquals(body.messages, SHORT_REQUEST.messages);
    }
    await assertAuditsSeparate(service);
    await service.assertBooks();
  });

  Deno.test(`a response is audited after its answer, ${how}`, async () => {
    await using lab = await auditLab();
    const { service, key } = lab;
    const body = { input: "What is the capital of Peru?", max_output_tokens: 50, stream };
    if (stream) await (await postResponse(service, body, { key: key.key })).text();
    else await answered(service, body, key.key);
    await audited(lab);
    assertEquals(auditCalls(lab), PANEL);
    assertEquals(auditsOf(lab), [["best 0", "cheap 0", "cheaper 0"]]);
    await assertAuditsSeparate(service);
    await service.assertBooks();
  });
}

Deno.test("the outcomes of audits reach the next snapshot of the caller's wallet only", async () => {
  await using lab = await auditLab();
  const { service, upstream, key } = lab;
  upstream.on("cheaper", () => "Cusco");
  await askChat(lab);
  await audited(lab);
  const { learning } = service.running.gateway;
  await learning.take();
  const { wallets } = learning.snapshot();
  assertEquals([...wallets.keys()], [key.wallet]);
  const [task] = Object.values(wallets.get(key.wallet)?.statistics.tasks ?? {});
  const bad = PANEL.map((model) => {
    const sum = task?.models[model]?.sums.audit;
    return [sum?.weight, sum?.bad];
  });
  assertEquals(bad, [[1, 0], [1, 0], [1, 1]]);
});

Deno.test("schema answers and forced calls compare by their meaning, and no tool runs", async () => {
  await using lab = await auditLab();
  const { upstream } = lab;
  const schema = {
    type: "json_schema",
    json_schema: { name: "city", schema: { type: "object", properties: {} } },
  };
  const texts: Record<string, string> = {
    best: '{"a": 1, "b": [2]}',
    cheap: '{"b":[2.0],"a":1}',
    cheaper: "no JSON",
  };
  for (const model of PANEL) upstream.on(model, () => texts[model] ?? "");
  await askChat(lab, { response_format: schema, max_tokens: 900 });
  await audited(lab);
  assertEquals(auditsOf(lab), [["best 0", "cheap 0", "cheaper 1"]]);

  const called = (name: string, args: string) => {
    const tool_calls = [{ id: "call_1", type: "function", function: { name, arguments: args } }];
    const message = { role: "assistant", content: null, tool_calls };
    const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
    return completion({ choices });
  };
  upstream.on("best", () => called("save", '{"x": 1}'));
  upstream.on("cheap", () => called("save", '{"x":1}'));
  upstream.on("cheaper", () => called("save", '{"x":2}'));
  const tools = [{ type: "function", function: { name: "save", parameters: {} } }];
  await askChat(lab, { tools, tool_choice: "required" });
  await audited(lab);
  assertEquals(auditsOf(lab).at(-1), ["best 0", "cheap 0", "cheaper 1"]);
  // One call of each model: no result of a tool was sent.
  assertEquals(upstream.calls.length, 8);
});

const NOT_AUDITED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "several choices": { n: 2 },
  "an image": {
    messages: [{
      role: "user",
      content: [{ type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } }],
    }],
  },
  "a search by the provider": { web_search_options: {} },
  "a member that the gateway does not know": { search_parameters: { mode: "on" } },
  "a long free answer without a judge": { max_tokens: 900 },
};

for (const [what, body] of Object.entries(NOT_AUDITED)) {
  Deno.test(`no audit repeats ${what}`, async () => {
    await using lab = await auditLab();
    await askChat(lab, body);
    await audited(lab);
    assertEquals(lab.upstream.calls.length, 1);
    // The same laboratory audits.
    await askChat(lab);
    await audited(lab);
    assertEquals(lab.upstream.calls.length, 5);
  });
}

Deno.test("no audit repeats a request of a key that does not consent", async () => {
  await using lab = await auditLab();
  const { service, upstream } = lab;
  for (const policy of [{}, { auto: { audits: false } }]) {
    await askChat({ service, key: await service.newKey({ policy }) });
    await askChat({ service, key: await service.newKey({ policy }) }, { audits: true });
  }
  await audited(lab);
  assertEquals(upstream.calls.length, 4);
});

Deno.test("a request whose caller left is not audited", async () => {
  for (const stream of [false, true]) {
    await using lab = await auditLab();
    const { service, upstream, key } = lab;
    const gate = Promise.withResolvers<void>();
    for (const model of PANEL) {
      upstream.on(model, async () => {
        await gate.promise;
        return "Lima";
      });
    }
    const leaving = new AbortController();
    const call = service.chat({ ...SHORT_REQUEST, stream }, {
      key: key.key,
      signal: leaving.signal,
    });
    await until(() => upstream.calls.length === 1, "the call");
    leaving.abort();
    await call.catch(() => {});
    // An answer that is complete before the gateway learns of it would be audited.
    await until(() => upstream.departures === 1, "the end of the call");
    gate.resolve();
    await audited(lab);
    assertEquals(upstream.calls.length, 1, `stream: ${stream}`);
  }
});

Deno.test("an audit asks only models that the key's policy and tier allow", async () => {
  const text = { en: "Low", zh: "Low" };
  const low = {
    ...{ id: "low", creditsPerUsd: "1000", models: ["best", "cheap"] },
    ...{ name: text, description: text },
  };
  await using lab = await auditLab({ tiers: [low] });
  const { service, upstream } = lab;
  const narrow = await service.newKey({ policy: { ...CONSENT, models: ["cheap", "cheaper"] } });
  await askChat({ service, key: narrow });
  await audited(lab);
  assertEquals(auditCalls(lab), ["cheap", "cheaper"]);
  const tiered = await service.newKey({ policy: CONSENT, tier: "low" });
  await askChat({ service, key: tiered });
  await audited(lab);
  assertEquals(upstream.models.slice(4).toSorted(), ["best", "cheap"]);
});

Deno.test("a share of 0 audits nothing", async () => {
  await using lab = await auditLab({ audits: { share: 0 } });
  await askChat(lab);
  await audited(lab);
  assertEquals(lab.upstream.calls.length, 1);
});
