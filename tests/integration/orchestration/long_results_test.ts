/**
 * Results of the maximum length, and longer ones: the model that reads them has room for them, for the
 * request, and for the answer.
 *
 * @module
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import {
  askSplit,
  assertCharged,
  CALL_MICROS,
  COMPARISON,
  orchestrationLab,
  readAnswer,
  statuses,
} from "../../fixtures/orchestrated.ts";
import { usage } from "../../fixtures/lab.ts";
import { planned } from "../../fixtures/task_upstream.ts";

const TASKS = ["tea", "coffee", "cocoa"];

/** Two models that hold so many tokens, and say half as many at once. */
function shortLab(contextTokens: number) {
  const model = { maxOutputTokens: contextTokens / 2, more: { contextTokens } };
  return orchestrationLab({ models: [{ id: "one", ...model }, { id: "two", ...model }] });
}

for (const stream of [true, false]) {
  const how = stream ? "streamed" : "JSON";

  Deno.test(`${how}: tasks may say as much as the answer's model can read beside the request`, async () => {
    await using lab = await shortLab(8_192);
    const { service, upstream } = lab;
    upstream.plan = [...TASKS.slice(1).map((id) => planned(id)), planned("tea", TASKS.slice(1))];
    // All that half a context holds, in one piece, whatever was asked for.
    for (const id of TASKS) upstream.on(id, { say: `${id} 茶`.repeat(4_000) });
    const answer = await readAnswer(await askSplit(service, { stream, choice: "final" }), stream);
    assertEquals([answer.text, answer.error], ["The answer.", undefined]);
    assertEquals(new Set(Object.values(statuses(answer))), new Set(["done"]));
    const [limit] = upstream.callsFor("tea").map(({ body }) => body["max_completion_tokens"]);
    assert(typeof limit === "number" && limit >= 256 && 3 * limit < 8_192 / 2, `${limit}`);
    const read = upstream.callsFor("final")[0]?.text ?? "";
    for (const id of TASKS) assertStringIncludes(read, `${id} 茶${id} 茶`);
    assertEquals(read.match(/cut off here/g)?.length, 3);
    // Each task was ended where it had passed what is held, and is charged what was counted.
    assertEquals(answer.metadata.billing?.estimated, true);
    await service.assertBooks();
  });

  Deno.test(`${how}: without room for results the request is one call`, async () => {
    await using lab = await shortLab(8_192);
    const { service, upstream } = lab;
    const long = { role: "user", content: `${COMPARISON} ${"and so on ".repeat(1_800)}` };
    for (const body of [{ messages: [long] }, { max_tokens: 3_000, messages: [long] }]) {
      const answer = await readAnswer(await askSplit(service, { stream, body }), stream);
      assertEquals(answer.text, "The answer.");
      assertMatch(answer.metadata.routing.orchestration ?? "", /^Not split: .*too long/);
    }
    assertEquals(upstream.calls.map(({ task }) => task), ["plain", "plain"]);
    await service.assertBooks();
  });

  Deno.test(`${how}: a plan with more results than there is room for is not run`, async () => {
    await using lab = await shortLab(4_096);
    const { service, upstream } = lab;
    upstream.plan = ["a", "b", "c", "d", "e", "f"].map((id) => planned(id));
    const answer = await readAnswer(await askSplit(service, { stream }), stream);
    assertMatch(answer.metadata.routing.orchestration ?? "", /^Not split: .*too long/);
    assertEquals(upstream.calls.map(({ task }) => task), ["plan", "plain"]);
    await assertCharged(service, answer, { micros: 2n * CALL_MICROS });
  });
}

Deno.test("tasks that cost all they may leave the answer enough to read their results", async () => {
  await using lab = await orchestrationLab({
    models: [{ id: "one", maxOutputTokens: 4_096 }, { id: "two", maxOutputTokens: 4_096 }],
  });
  const { service, upstream } = lab;
  const ids = ["a", "b", "c", "d", "e", "f"];
  upstream.plan = ids.map((id) => planned(id));
  // Prose of some 4 000 tokens, at the price of more than its task may cost.
  const dear = { say: "The plain words of a task. ".repeat(600), usage: usage(9_000, 9_000) };
  let splits = 0;
  for (const cap of [95, 120, 150, 180, 190, 200, 210, 220]) {
    for (const id of ids) upstream.on(id, dear);
    const { key } = await service.newKey({ policy: { maxChargePerRequest: `${cap}` } });
    const answer = await readAnswer(await askSplit(service, { key }), false);
    if (answer.orchestration !== undefined) splits += 1;
    assertEquals([answer.text, answer.error], ["The answer.", undefined], `${cap}`);
  }
  assert(splits > 1, `${splits}`);
  await service.assertBooks();
});
