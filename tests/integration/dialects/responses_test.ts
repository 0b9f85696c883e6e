/**
 * Responses and images in both dialects: native and translated, streamed and not, kept and read
 * again.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { type Dialect, DIALECTS } from "@svc/sdk/protocol";
import { readResponseEvents } from "../../conformance/open_responses/event_rules.ts";
import { assertPairs } from "../../fixtures/chat_stream.ts";
import { FakeUpstream, json, sse } from "../../fixtures/fake_upstream.ts";
import { calling, hostedLab, saying, searchFor, WEB } from "../../fixtures/hosted_lab.ts";
import { completion, streamed, usage } from "../../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../../fixtures/service.ts";
import { twoRoutes } from "../../fixtures/two_routes.ts";

const OWN = { team: "a", note: '{"not":"parsed"}' };
const ROUTES = ["native", "chat"] as const;

function call(
  service: TestService,
  path: string,
  { dialect, body }: { readonly dialect: Dialect; readonly body?: unknown },
): Promise<Response> {
  return fetch(`${service.openaiUrl}/${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${BOOTSTRAP_KEY}`,
      "x-dialect": dialect,
    },
    body: body === undefined ? null : JSON.stringify({ model: "auto", ...Object(body) }),
  });
}

function assertMetadata(metadata: Readonly<Record<string, unknown>>, dialect: Dialect): void {
  assertEquals({ ...metadata, ...OWN }, metadata);
  if (dialect === "openai") return assertPairs(metadata);
  assertEquals([typeof metadata["routing"], typeof metadata["billing"]], ["object", "object"]);
}

for (const dialect of DIALECTS) {
  for (const route of ROUTES) {
    Deno.test(`a response in ${dialect}, ${route}: JSON, and read again in either`, async () => {
      await using routes = await twoRoutes(route, new FakeUpstream());
      const { service } = routes;
      const body = { input: "Hi", metadata: OWN };
      const made = await (await call(service, "responses", { dialect, body })).json();
      assertMetadata(made.metadata, dialect);
      // The reader's dialect counts, not that of the request that made it.
      for (const reader of DIALECTS) {
        const read = await (await call(service, `responses/${made.id}`, { dialect: reader }))
          .json();
        assertMetadata(read.metadata, reader);
        assertEquals({ ...read, metadata: {} }, { ...made, metadata: {} });
        if (reader === dialect) assertEquals(read.metadata, made.metadata);
      }
      await service.assertBooks();
    });

    Deno.test(`a response in ${dialect}, ${route}: streamed`, async () => {
      await using routes = await twoRoutes(route, new FakeUpstream());
      const { service, chat } = routes;
      chat.answer(sse(streamed(["Hi"], usage(10, 5))));
      const body = { input: "Hi", metadata: OWN, stream: true };
      const response = await call(service, "responses", { dialect, body });
      const events = await readResponseEvents(response, dialect);
      const [first, last] = [events[0]?.response, events.at(-1)?.response];
      assert(first !== undefined && last !== undefined);
      assertEquals(Object.keys(first.metadata).sort(), ["note", "request_id", "team"]);
      assertMetadata({ ...last.metadata }, dialect);
      const kept = await (await call(service, `responses/${last.id}`, { dialect })).json();
      assertEquals(kept, last);
    });

    Deno.test(`a response in ${dialect}, ${route}: one that fails in mid-stream`, async () => {
      await using routes = await twoRoutes(route, new FakeUpstream());
      const { service, native, chat } = routes;
      native.say({ endAfter: 4 });
      const words = streamed(["Hi"]).slice(0, 2).map((text) => `data: ${text}\n\n`).join("");
      chat.answer([
        { send: "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" },
        { send: `${words}data: {"error":{"message":"no"}}\n\n` },
        { close: true },
      ]);
      const body = { input: "Hi", metadata: OWN, stream: true };
      const response = await call(service, "responses", { dialect, body });
      // No `[DONE]` follows a failure.
      const events = await readResponseEvents(response, dialect);
      assertEquals(events.slice(-2).map(({ type }) => type), ["response.failed", "error"]);
      assertMetadata({ ...events.at(-2)?.response?.metadata }, dialect);
    });
  }

  Deno.test(`a response in ${dialect} with searches of the gateway's own`, async () => {
    await using at = await hostedLab();
    at.model.answer(calling(searchFor("tea")), saying("A drink."));
    const body = { input: "Tea?", tools: [WEB], metadata: OWN, stream: true };
    const events = await readResponseEvents(
      await call(at.service, "responses", { dialect, body }),
      dialect,
    );
    assertMetadata({ ...events.at(-1)?.response?.metadata }, dialect);
  });

  Deno.test(`images in ${dialect}`, async () => {
    await using service = await TestService.start();
    const body = { prompt: "A lighthouse", size: "64x64" };
    const { metadata } = await (await call(service, "images/generations", { dialect, body }))
      .json();
    if (dialect === "openai") assertPairs(metadata);
    else assertEquals([metadata.billing.currency, typeof metadata.routing], ["credits", "object"]);
  });

  Deno.test(`a refusal after attempts in ${dialect}, before the first byte of a response`, async () => {
    await using routes = await twoRoutes("chat", new FakeUpstream());
    routes.chat.otherwise(json({ error: { message: "no" } }, { status: 500 }));
    const failure = { error: { status: 500, body: { error: { message: "no" } } } };
    routes.native.say(failure, failure);
    const response = await call(routes.service, "responses", { dialect, body: { input: "Hi" } });
    const { metadata } = await response.json();
    assertEquals(response.status, 502);
    assertEquals(typeof metadata.routing, dialect === "openai" ? "string" : "object");
  });
}

Deno.test("openai's own client reads the answer and its own pairs with the types it has", async () => {
  await using routes = await twoRoutes("chat", new FakeUpstream());
  routes.chat.answer(json(completion()));
  const { responses } = routes.service.client();
  const made = await responses.create({ model: "auto", input: "Hi", metadata: OWN });
  const metadata: Record<string, string> = made.metadata ?? {};
  assertEquals(metadata["team"], "a");
  const read = await responses.retrieve(made.id);
  assertEquals(read.metadata, made.metadata);
  assertPairs(read.metadata ?? undefined);
});
