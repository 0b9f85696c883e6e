/**
 * Split requests where there is hardly room for their parts, and bodies that parts could trip over.
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
import { planned } from "../../fixtures/task_upstream.ts";

for (const stream of [true, false]) {
  const how = stream ? "streamed" : "JSON";

  Deno.test(`${how}: one call at once at the upstream, and one request of the key, are enough`, async () => {
    await using lab = await orchestrationLab({
      upstream: { maxInFlight: 1 },
      models: [{ id: "one" }],
    });
    const { service, upstream } = lab;
    const policy = { concurrentRequests: 1, requestsPerMinute: 2, tokensPerMinute: 100_000 };
    const { key, wallet } = await service.newKey({ policy });
    for (let times = 1; times <= 2; times++) {
      const answer = await readAnswer(await askSplit(service, { stream, key }), stream);
      assertEquals(answer.text, "The answer.");
      assertEquals(new Set(Object.values(statuses(answer))), new Set(["done"]));
      const micros = 5n * CALL_MICROS;
      assertEquals((await service.wallet(wallet)).spent, BigInt(times) * micros);
    }
    assertEquals(upstream.mostAtOnce, 1);
    await service.assertBooks();
  });
}

Deno.test("a plan is made also where no model follows a schema", async () => {
  await using lab = await orchestrationLab({ models: [{ id: "one", featureTags: [] }] });
  const { service, upstream } = lab;
  const answer = await readAnswer(await askSplit(service), false);
  assertEquals(answer.text, "The answer.");
  assertEquals("response_format" in (upstream.callsFor("plan")[0]?.body ?? {}), false);
  await assertCharged(service, answer, { micros: 5n * CALL_MICROS });
});

Deno.test("a need that only a forbidden model meets is done without", async () => {
  const usual = ["tools", "json", "vision"];
  await using lab = await orchestrationLab({
    models: [
      { id: "one", featureTags: [...usual, "law"] },
      { id: "two", featureTags: [...usual, "code"] },
      { id: "both", featureTags: [...usual, "law", "code"] },
    ],
  });
  const { service, upstream } = lab;
  upstream.plan = [{ ...planned("tea"), needs: ["law", "code"] }, planned("coffee")];
  const { key, wallet } = await service.newKey({ policy: { models: ["one", "two"] } });
  const answer = await readAnswer(await askSplit(service, { key }), false);
  assertEquals(statuses(answer)["tea"], "done");
  await assertCharged(service, answer, { micros: 4n * CALL_MICROS, wallet });
});

Deno.test("tasks see an assistant's messages in any form, and images", async () => {
  await using lab = await orchestrationLab();
  const { service, upstream } = lab;
  const image_url = { url: "data:image/png;base64,iVBORw0KGgo=" };
  const messages = [
    { role: "user", content: "Which drinks are there?" },
    { role: "assistant", content: [{ type: "text", text: "Tea, coffee and cocoa." }] },
    {
      role: "user",
      content: [{ type: "text", text: COMPARISON }, { type: "image_url", image_url }],
    },
  ];
  const options = { logprobs: true, stop: ["END"], stream_options: { include_usage: false } };
  const answer = await readStreamedAnswer(
    await askSplit(service, { stream: true, body: { messages, ...options } }),
  );
  assertEquals(answer.text, "The answer.");
  const [task] = upstream.callsFor("tea");
  const seen = JSON.stringify(task?.body);
  assertStringIncludes(seen, "Tea, coffee and cocoa.");
  assertStringIncludes(seen, image_url.url);
  for (const name of ["logprobs", "stop"]) assert(!(name in (task?.body ?? {})), name);
  const [final] = upstream.callsFor("final");
  assertEquals([final?.body["logprobs"], final?.body["stop"]], [true, ["END"]]);
  await assertCharged(service, answer, { micros: 5n * CALL_MICROS });
});
