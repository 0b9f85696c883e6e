/**
 * Policies of split requests: permission, the content of the stream, and the maximum cost.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import {
  askSplit,
  CALL_MICROS,
  orchestrationLab,
  readAnswer,
  readStreamedAnswer,
} from "../../fixtures/orchestrated.ts";
import { until } from "../../fixtures/service.ts";

const SIMPLE = { messages: [{ role: "user", content: "What is the capital of Peru?" }] };

Deno.test("a policy, a tier or a caller that turns it off gets one call", async () => {
  for (const tier of ["off", "auto"] as const) {
    await using lab = await orchestrationLab({ tier });
    const { service, upstream } = lab;
    const mode = tier === "off" ? "always" : "off";
    const { key } = await service.newKey({ policy: { orchestration: { mode, stream: "all" } } });
    const answer = await readAnswer(await askSplit(service, { key }), false);
    assertEquals(answer.orchestration, undefined);
    await (await askSplit(service, { choice: "off" })).text();
    assertEquals(upstream.calls.map(({ task }) => task), ["plain", "plain"]);
  }
});

Deno.test("a policy that says always has simple requests planned, too", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const policy = { orchestration: { mode: "always", stream: "all" } } as const;
  const { key } = await service.newKey({ policy });
  const answer = await readAnswer(await askSplit(service, { key, body: SIMPLE }), false);
  assertEquals([answer.text, upstream.callsFor("plan").length], ["The answer.", 1]);
  assertMatch(answer.metadata.routing.orchestration ?? "", /the key's policy asks for it/);
});

Deno.test("final streams the answer alone, by the key's ceiling or by the caller's header", async () => {
  await using lab = await orchestrationLab();
  const { service } = lab;
  const policy = { orchestration: { mode: "auto", stream: "final" } } as const;
  const { key } = await service.newKey({ policy });
  for (const ask of [{ key }, { choice: "final" as const }, { key, choice: "all" as const }]) {
    const answer = await readStreamedAnswer(await askSplit(service, { ...ask, stream: true }));
    assertEquals([answer.text, [...answer.texts]], ["The answer.", []]);
    assertEquals(answer.orchestration?.tasks.length, 5);
    const ids = answer.chunks.map(({ orchestration }) => orchestration?.task_id);
    assertEquals(new Set(ids), new Set(["final"]));
  }
});

Deno.test("X-Orchestration that says something else is refused", async () => {
  await using lab = await orchestrationLab();
  const response = await lab.service.chat({ messages: SIMPLE.messages }, {
    headers: { "x-orchestration": "maybe" },
  });
  const { error } = await response.json();
  assertEquals([response.status, error.param], [400, "X-Orchestration"]);
});

Deno.test("a request that exceeds the wallet, the budget or the cap is not split", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const poor = [
    { credits: "5" },
    { policy: { budget: { day: "5" } } },
    { policy: { maxChargePerRequest: "5" } },
  ];
  for (const options of poor) {
    const { key } = await service.newKey(options);
    const answer = await readAnswer(await askSplit(service, { key }), false);
    assertEquals(answer.text, "The answer.");
    assertMatch(answer.metadata.routing.orchestration ?? "", /could cost more than there is/);
  }
  assertEquals(upstream.calls.map(({ task }) => task), ["plain", "plain", "plain"]);
  await service.assertBooks();
});

Deno.test("all holds of a split request together never exceed its cap", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const cap = 40_000_000n;
  const policy = { maxChargePerRequest: "40" };
  const { key, wallet } = await service.newKey({ policy });
  const tasks = Promise.withResolvers<void>();
  const final = Promise.withResolvers<void>();
  for (const id of ["tea", "coffee", "cocoa"]) upstream.on(id, { until: tasks.promise });
  upstream.on("final", { until: final.promise });
  const call = askSplit(service, { key });
  const atMost = async (calls: number) => {
    await until(() => upstream.calls.length === calls, `${calls} calls`);
    const { held, spent } = await service.wallet(wallet);
    assert(held > 0n && held + spent <= cap, `${held} + ${spent}`);
  };
  await atMost(4);
  tasks.resolve();
  await atMost(5);
  final.resolve();
  const answer = await readAnswer(await call, false);
  assertEquals(answer.text, "The answer.");
  assertEquals((await service.wallet(wallet)).spent, 5n * CALL_MICROS);
  await service.assertBooks();
});
