/**
 * The responses that a response continues: their owner and their lifetime.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import OpenAI from "openai";
import { lastResponseIn } from "../../fixtures/event_stream.ts";
import { FakeUpstream, json, sse } from "../../fixtures/fake_upstream.ts";
import { completion, streamed } from "../../fixtures/lab.ts";
import { answered, postResponse, refused } from "../../fixtures/responses_calls.ts";
import { ManualClock } from "../../fixtures/service.ts";
import { twoRoutes } from "../../fixtures/two_routes.ts";

const ROUTES = ["native", "chat"] as const;

Deno.test("a response that was not to be stored is not", async () => {
  for (const route of ROUTES) {
    await using routes = await twoRoutes(route, new FakeUpstream());
    const { service } = routes;
    const client = service.client();
    for (const stream of [false, true]) {
      if (route === "chat") {
        routes.chat.answer(stream ? sse(streamed(["Hello"])) : json(completion()));
      }
      const params = { model: "auto", input: "Hi", store: false };
      const { id, store } = stream
        ? await answeredInEvents(await postResponse(service, { ...params, stream }))
        : await answered(service, params);
      assertEquals(store, false);
      await service.quiet();
      await assertRejects(() => client.responses.retrieve(id), OpenAI.NotFoundError);
      const { status, param } = await refused(service, { input: "On", previous_response_id: id });
      assertEquals([status, param], [400, "previous_response_id"]);
    }
  }
});

async function answeredInEvents(response: Response): Promise<{ id: string; store: boolean }> {
  const text = await response.text();
  return lastResponseIn(text) ?? {};
}

Deno.test("a streamed response can be read and continued, as its last event had it", async () => {
  for (const route of ROUTES) {
    await using routes = await twoRoutes(route, new FakeUpstream());
    const { service } = routes;
    if (route === "chat") routes.chat.answer(sse(streamed(["Hello"])));
    const client = service.client();
    const stream = client.responses.stream({ model: "auto", input: "Hi" });
    const { id, model, output_text: text } = await stream.finalResponse();
    assertEquals(model, route);
    const read = await client.responses.retrieve(id);
    assertEquals([read.id, read.output_text], [id, text]);
    const next = await answered(service, { input: "On", previous_response_id: id });
    assertEquals(next.previous_response_id, id);
  }
});

Deno.test("another model's reasoning is not sent to the next, and the answer reports it", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native, chat } = routes;
  const whole = completion();
  const [choice] = Array.isArray(whole["choices"]) ? whole["choices"] : [];
  const message = { ...choice.message, reasoning_content: "Hm" };
  native.say({ error: { status: 500, body: { error: { message: "Down" } } } });
  chat.answer(json({ ...whole, choices: [{ ...choice, message }] }));
  const first = await answered(service, { input: "One" });
  assertEquals([first.model, first.output[0]?.type], ["chat", "reasoning"]);
  const next = await answered(service, { input: "Two", previous_response_id: first.id });
  assertEquals(next.model, "native");
  assertEquals(Object(next.metadata.routing)["not_carried"], [
    "previous_response_id: earlier reasoning is not repeated to another model",
  ]);
  const third = await answered(service, { input: "Three", previous_response_id: next.id });
  assertEquals(third.model, "native");
});

Deno.test("another tenant's ids are answered like unknown ids", async () => {
  for (const route of ROUTES) {
    await using routes = await twoRoutes(route, new FakeUpstream());
    const { service } = routes;
    const mine = await service.newKey();
    const theirs = await service.newKey();
    const { id, output: [item] } = await answered(service, { input: "Secret" }, theirs.key);
    const answerOf = async (body: Readonly<Record<string, unknown>>) => {
      const { message, ...rest } = await refused(service, body, mine.key);
      return { ...rest, message: message.replaceAll(/"(resp|msg)_[^"]*"/g, '"…"') };
    };
    const unknownId = id.replace(/.{4}$/, "zzzz");
    assertEquals(
      await answerOf({ input: "Hi", previous_response_id: id }),
      await answerOf({ input: "Hi", previous_response_id: unknownId }),
    );
    const itemId = String(item?.id);
    const reference = (id: string) => ({ input: [{ type: "item_reference", id }] });
    assertEquals(
      await answerOf(reference(itemId)),
      await answerOf(reference(itemId.replace(/.{4}$/, "zzzz"))),
    );
    assertEquals((await answerOf(reference(itemId))).status, 400);
    // Its owner may.
    await answered(service, { input: "Hi", previous_response_id: id }, theirs.key);
    await answered(
      service,
      { input: [{ id: itemId }, { role: "user", content: "Hi" }] },
      theirs.key,
    );
  }
});

Deno.test("an ancestor that was deleted or has expired ends the conversation", async () => {
  const clock = new ManualClock();
  await using routes = await twoRoutes("chat", new FakeUpstream(), { clock });
  const { service } = routes;
  const client = service.client();
  const first = await answered(service, { input: "One" });
  const second = await answered(service, { input: "Two", previous_response_id: first.id });
  await client.responses.delete(first.id);
  const orphan = await refused(service, { input: "Three", previous_response_id: second.id });
  assertEquals([orphan.status, orphan.param], [400, "previous_response_id"]);
  assertEquals(
    orphan.message,
    `Response "${second.id}" continues "${first.id}", which is not kept any more; send the ` +
      "conversation as input",
  );
  // The response itself can be read all the same.
  assertEquals((await client.responses.retrieve(second.id)).id, second.id);

  const third = await answered(service, { input: "Three" });
  clock.advance(service.running.gateway.responsesKeptMs());
  const late = await refused(service, { input: "Four", previous_response_id: third.id });
  assertEquals([late.status, late.param], [400, "previous_response_id"]);
});

Deno.test("tenants at once, each with its own conversation", async () => {
  for (const route of ROUTES) {
    await using routes = await twoRoutes(route, new FakeUpstream());
    const { service } = routes;
    const keys = [await service.newKey(), await service.newKey()];
    const turns = async (key: string, name: string) => {
      let previous_response_id: string | null = null;
      for (let turn = 0; turn < 5; turn++) {
        const input = `${name} ${turn}`;
        const answer = await answered(service, { input, previous_response_id }, key);
        assertEquals(answer.previous_response_id, previous_response_id);
        previous_response_id = answer.id;
      }
      const { data } = await service.client({ apiKey: key }).responses.inputItems
        .list(String(previous_response_id));
      assertEquals(JSON.stringify(data).includes(`${name} 4`), true);
    };
    await Promise.all(keys.map(({ key }, at) => turns(key, at === 0 ? "Ada" : "Bob")));
    for (const request of routes.chat.requests) {
      assertEquals(request.text.includes("Ada") && request.text.includes("Bob"), false);
    }
    await service.assertBooks();
    const [one, other] = await Promise.all(keys.map(({ wallet }) => service.wallet(wallet)));
    assertEquals(one?.spent, other?.spent);
  }
});
