/**
 * Events between the parts of a split request, and between two split requests.
 *
 * @module
 */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  askSplit,
  assertCharged,
  CALL_MICROS,
  COMPARISON,
  orchestrationLab,
  readAnswer,
  readStreamedAnswer,
  statuses,
} from "../../fixtures/orchestrated.ts";
import { postResponse } from "../../fixtures/responses_calls.ts";
import { usage } from "../../fixtures/lab.ts";
import { until } from "../../fixtures/service.ts";

Deno.test("a compound follow-up of a split response is split, with the conversation so far", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const first =
    await (await postResponse(service, { input: COMPARISON, instructions: "Be brief." })).json();
  const second = await (await postResponse(service, {
    input: COMPARISON.replace("tea", "milk"),
    previous_response_id: first.id,
    instructions: "Be kind.",
    max_output_tokens: 777,
    text: { format: { type: "json_object" } },
  })).json();
  assertEquals(second.orchestration?.tasks.length, 5, JSON.stringify(second));
  const [, task] = upstream.callsFor("tea");
  const seen = JSON.stringify(task?.body);
  assertStringIncludes(seen, "The answer.");
  assertStringIncludes(seen, "Be kind.");
  assert(!seen.includes("Be brief."));
  assert(!seen.includes("Note of the service] Task final"));
  const final = JSON.stringify(upstream.callsFor("final").at(-1)?.body);
  assertStringIncludes(final, "777");
  assertStringIncludes(final, "json_object");
  assertEquals(second.max_output_tokens, 777);
  const none = await (await postResponse(service, { input: COMPARISON, store: false })).json();
  assertEquals(none.orchestration?.tasks.length, 5);
  await service.assertBooks();
});

for (const stream of [true, false]) {
  const how = stream ? "streamed" : "JSON";

  Deno.test(`${how}: started tasks finish although their key is revoked`, async () => {
    await using lab = await orchestrationLab();
    const { service, upstream } = lab;
    const { id, key, wallet } = await service.newKey();
    const gate = Promise.withResolvers<void>();
    upstream.on("tea", { until: gate.promise });
    const call = askSplit(service, { stream, key });
    await until(() => upstream.calls.length === 4, "tasks");
    await service.admin("POST", `/keys/${id}/revoke`, {});
    gate.resolve();
    const answer = await readAnswer(await call, stream);
    assertEquals(answer.text, "The answer.");
    await assertCharged(service, answer, { micros: 5n * CALL_MICROS, wallet });
  });
}

Deno.test("a cap holds where shown tasks are cut, charged and run again", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const { key, wallet } = await service.newKey({ policy: { maxChargePerRequest: "36" } });
  for (const id of ["tea", "coffee", "cocoa"]) {
    const half = { cutAfter: "Half of it ".repeat(600) };
    upstream.on(id, half, { say: "x", usage: usage(100_000, 100_000) });
  }
  const answer = await readStreamedAnswer(await askSplit(service, { key, stream: true }));
  assertEquals(new Set(Object.values(statuses(answer))), new Set(["done"]));
  const { spent, held } = await service.wallet(wallet);
  assert(spent <= 36_000_000n && held === 0n, `${spent}`);
  await assertCharged(service, answer, { micros: spent, wallet });
});
