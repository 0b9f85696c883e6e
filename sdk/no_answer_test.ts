/** A 200 that is no answer is an error of the service's, on every surface and by every method. */

import { assertEquals, assertRejects } from "@std/assert";
import { ServiceAPIError, type ServiceClient, ServiceConnectionError } from "./mod.ts";
import { json, MESSAGES, scripted, sse } from "./scripted_service_test.ts";

const SAID = [{ role: "user", content: "Hello" }] as const;

/** Bodies that answer nothing, on any surface. */
const NO_ANSWERS: readonly unknown[] = [[], [1], {}, { id: "x" }, { success: true }, 5, "text"];

type Call = (client: ServiceClient) => PromiseLike<unknown>;

/** Every call, and bodies that are none of its answers though they look like one. */
const CALLS: Readonly<Record<string, readonly [Call, ...unknown[]]>> = {
  "chat.completions.create": [
    (client) => client.chat.completions.create({ messages: MESSAGES }),
    ...[{ choices: null }, { choices: {} }, { choices: [1] }, { choices: [{}] }],
  ],
  "chat.completions.run": [(client) => client.chat.completions.run({ messages: MESSAGES })],
  "responses.create": [
    (client) => client.responses.create({ input: "Hi" }),
    ...[{ output: null }, { status: "completed" }, { output: ["Hello"] }],
  ],
  "responses.run": [(client) => client.responses.run({ input: "Hi" })],
  "messages.create": [
    (client) => client.messages.create({ messages: SAID }),
    ...[{ choices: null }, { choices: [{ message: 5 }] }, { content: [] }],
  ],
  "messages.run": [(client) => client.messages.run({ messages: SAID })],
  "images.generate": [
    (client) => client.images.generate({ prompt: "A cat" }),
    ...[{ data: {} }, { data: ["cat"] }, { data: [{}] }, { data: [{ url: 5 }] }],
  ],
  "images.edit": [
    (client) => client.images.edit({ prompt: "A hat", image: "https://a.example/cat.png" }),
    { data: [null] },
  ],
  "models.list": [
    (client) => client.models.list(),
    ...[{ success: true, data: {} }, { data: { models: [null] } }, { data: { models: ["auto"] } }],
  ],
  "models.meta": [(client) => client.models.meta(), { tiers: [], skus: [] }],
  "pricing.retrieve": [(client) => client.pricing.retrieve(), { tiers: ["standard"] }],
};

for (const [name, [call, ...own]] of Object.entries(CALLS)) {
  Deno.test(`${name}: a 200 without a valid answer is an error`, async () => {
    for (const body of [...NO_ANSWERS, ...own]) {
      const { client } = scripted(json(body, { headers: { "x-request-id": "req-1" } }));
      const what = JSON.stringify(body);
      const error = await assertRejects(async () => await call(client), ServiceAPIError, "", what);
      assertEquals([error.status, error.body, error.requestId], [200, body, "req-1"]);
    }
  });
}

const STREAMS: Readonly<Record<string, Call>> = {
  "chat.completions": (client) => client.chat.completions.stream({ messages: MESSAGES }),
  "responses": (client) => client.responses.stream({ input: "Hi" }),
  "messages": (client) => client.messages.stream({ messages: SAID }),
};

for (const [name, call] of Object.entries(STREAMS)) {
  Deno.test(`${name}: a stream that tells no answer is an error`, async () => {
    for (const event of [[], 5]) {
      const { client } = scripted(sse(event));
      await assertRejects(async () => await call(client), ServiceAPIError);
    }
    for (const events of [[], [{ id: "x" }], [{}]]) {
      const { client } = scripted(sse(...events));
      await assertRejects(async () => await call(client), ServiceConnectionError);
    }
  });
}

Deno.test("responses: a last event without an output or earlier items is not a valid answer", async () => {
  for (const response of [{}, { id: "x" }, { status: "completed", output: null }]) {
    const { client } = scripted(sse({ type: "response.completed", response }));
    await assertRejects(() => client.responses.stream({ input: "Hi" }).final(), ServiceAPIError);
  }
});
