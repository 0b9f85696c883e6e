/**
 * Responses that were to be stored and are not: they say so, and no conversation ends by it.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { ResponseResource } from "@svc/sdk/protocol";
import OpenAI from "openai";
import { StoreError } from "../../../gateway/ports/store_error.ts";
import { lastResponseIn } from "../../fixtures/event_stream.ts";
import { FakeUpstream, json, sse } from "../../fixtures/fake_upstream.ts";
import { calling, hostedLab, saying, searchFor, WEB } from "../../fixtures/hosted_lab.ts";
import { completion, labConfig, streamed } from "../../fixtures/lab.ts";
import { answered, postResponse } from "../../fixtures/responses_calls.ts";
import { TestService, WALLET } from "../../fixtures/service.ts";
import { twoRoutes } from "../../fixtures/two_routes.ts";

async function lastResource(response: Response): Promise<ResponseResource> {
  return lastResponseIn(await response.text());
}

/** The store takes nothing, for one reason or the other. */
function takesNothing({ running }: TestService, why: "full" | "broken"): void {
  const value = () =>
    why === "full" ? Promise.resolve(false) : Promise.reject(new StoreError("disk I/O error"));
  Object.defineProperty(running.stores.responses, "put", { value });
}

Deno.test("a response that could not be stored says so, on every route", async () => {
  for (const route of ["native", "chat"] as const) {
    for (const why of ["full", "broken"] as const) {
      await using routes = await twoRoutes(route, new FakeUpstream());
      const { service } = routes;
      const kept = await answered(service, { input: "Hi" });
      assertEquals(kept.store, true);
      takesNothing(service, why);
      for (const stream of [false, true]) {
        if (route === "chat") {
          routes.chat.answer(stream ? sse(streamed(["Hello"])) : json(completion()));
        }
        const body = { input: "Hi", stream };
        const response = stream
          ? await lastResource(await postResponse(service, body))
          : await answered(service, body);
        assertEquals([response.status, response.store], ["completed", false], `${route} ${why}`);
        const { id } = response;
        await assertRejects(() => service.client().responses.retrieve(id), OpenAI.NotFoundError);
        await service.quiet();
      }
      await service.assertBooks();
    }
  }
});

Deno.test("so does one whose searches ran here", async () => {
  for (const stream of [false, true]) {
    await using lab = await hostedLab();
    const { service, model } = lab;
    takesNothing(service, "full");
    model.answer(calling(searchFor("Hello")), saying("Found"));
    const body = { input: "Hi", tools: [WEB], stream };
    const { status, store } = stream
      ? await lastResource(await postResponse(service, body))
      : await answered(service, body);
    assertEquals([status, store], ["completed", false]);
    await service.quiet();
  }
});

Deno.test("a wallet that fills its share leaves room for another's responses", async () => {
  await using upstream = new FakeUpstream();
  upstream.otherwise(json(completion()));
  const more = { contextTokens: 5_000_000 };
  const lab = labConfig({ id: "m", baseUrl: upstream.baseUrl, more });
  const config = { ...lab, responses: { keepMegabytes: 1 } };
  await using service = await TestService.start({ config });
  const [first, other] = [await service.newKey(), await service.newKey()];
  const input = "x".repeat(450_000);
  assertEquals((await answered(service, { input }, first.key)).store, true);
  assertEquals((await answered(service, { input }, first.key)).store, false);
  const { id, store } = await answered(service, { input: "y".repeat(200_000) }, other.key);
  assertEquals(store, true);
  const read = await service.client({ apiKey: other.key }).responses.retrieve(id);
  assertEquals(read.id, id);
});

Deno.test("an upstream that repeats an id does not end the conversation", async () => {
  await using routes = await twoRoutes("native", new FakeUpstream());
  const { service, native } = routes;
  const first = await answered(service, { input: "One" });
  const previous_response_id = first.id;
  const resource = JSON.stringify({ ...first, metadata: {}, model: "real-native" });
  native.say({ raw: resource });
  const second = await answered(service, { input: "Two", previous_response_id });
  // In the first one's place it would continue itself.
  assertEquals([second.id, second.store], [first.id, false]);
  const third = await answered(service, { input: "Three", previous_response_id });
  assertEquals(third.previous_response_id, first.id);
  const items = await service.client().responses.inputItems.list(first.id);
  assertEquals(items.data.length, 1);
});

Deno.test("responses that continue one another in a circle are read once each", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  const { service, chat } = routes;
  const one = await answered(service, { input: "One" });
  const two = await answered(service, { input: "Two", previous_response_id: one.id });
  const { responses } = service.running.stores;
  const kept = await responses.get(WALLET, one.id);
  assert(kept !== undefined);
  await responses.put({ ...kept, previousId: two.id, upstreamId: "gives ids twice" });
  await answered(service, { input: "Three", previous_response_id: two.id });
  const { messages } = JSON.parse(chat.requests.at(-1)?.text ?? "");
  const questions = messages.filter(({ role }: { role: string }) => role === "user");
  assertEquals(questions.map(({ content }: { content: unknown }) => content), [
    "One",
    "Two",
    "Three",
  ]);
});
