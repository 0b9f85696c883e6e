/**
 * The client library against the real service.
 *
 * @module
 */

import {
  assert,
  assertEquals,
  assertGreater,
  assertInstanceOf,
  assertMatch,
  assertRejects,
} from "@std/assert";
import { MissingAPIKeyError, ServiceAPIError, ServiceClient } from "@svc/sdk";
import { chunk, FakeUpstream, fixed, json, sse, streamHead } from "../fixtures/fake_upstream.ts";
import { chunkText, completion, labConfig, QUESTION, streamed, usage } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

const MESSAGES = [...QUESTION];

/** A service with one model, and a client of it. */
async function withClient() {
  const upstream = new FakeUpstream();
  const config = labConfig({ id: "only", baseUrl: upstream.baseUrl });
  const service = await TestService.start({ config });
  const apiBaseUrl = service.running.publicUrl;
  return {
    upstream,
    service,
    apiBaseUrl,
    client: new ServiceClient({ apiKey: BOOTSTRAP_KEY, apiBaseUrl }),
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      await upstream[Symbol.asyncDispose]();
    },
  };
}

/** The error that a call ends with. */
async function errorOf(call: () => Promise<unknown>): Promise<ServiceAPIError> {
  const error = await assertRejects(call);
  assertInstanceOf(error, ServiceAPIError);
  return error;
}

Deno.test("create gives the answer, its bill and the id to quote", async () => {
  await using at = await withClient();
  at.upstream.answer(json(completion({ usage: usage(10, 5) })));
  const answer = await at.client.chat.completions.create({ messages: MESSAGES }, {
    requestId: "my-own-id",
  });
  assertEquals(answer.choices[0]?.message.content, "Hello there");
  assertEquals([answer.model, answer.requestId], ["only", "my-own-id"]);
  assertEquals(answer.metadata?.billing?.charged, "0.020000");
  assertEquals((await at.service.lastRequest()).requestId, "my-own-id");
  await at.service.assertBooks();
});

Deno.test("stream gives the text as it comes, and the bill last", async () => {
  await using at = await withClient();
  at.upstream.answer(sse(streamed(["Hello ", "there"], usage(10, 5))));
  let text = "";
  let charged: string | undefined;
  for await (const part of at.client.chat.completions.stream({ messages: MESSAGES })) {
    text += part.choices[0]?.delta.content ?? "";
    charged = part.metadata?.billing?.charged ?? charged;
  }
  assertEquals([text, charged], ["Hello there", "0.020000"]);
  await at.service.assertBooks();
});

Deno.test("a stream that breaks off throws, with the id to quote, after what had come", async () => {
  await using at = await withClient();
  const words = chunkText({ role: "assistant", content: "Hello" });
  at.upstream.answer([streamHead(), chunk(`data: ${words}\n\n`), { close: true }]);
  let text = "";
  const error = await errorOf(async () => {
    for await (const part of at.client.chat.completions.stream({ messages: MESSAGES })) {
      text += part.choices[0]?.delta.content ?? "";
    }
  });
  assertEquals([text, error.status], ["Hello", 200]);
  assertEquals(error.requestId, (await at.service.lastRequest()).requestId);
  await at.service.assertBooks();
});

Deno.test("a reader that stops early leaves the service with nothing open", async () => {
  await using at = await withClient();
  const words = chunkText({ role: "assistant", content: "Hello" });
  at.upstream.answer([streamHead(), chunk(`data: ${words}\n\n`), { stall: true }]);
  for await (const _ of at.client.chat.completions.stream({ messages: MESSAGES })) break;
  await at.upstream.clientLeft();
  assertEquals((await at.service.lastRequest()).outcome, "client_left");
  await at.service.assertBooks();
});

Deno.test("the list of models is public; metadata and pricing need the key", async () => {
  await using at = await withClient();
  // An empty key is none, whatever the environment holds.
  const stranger = new ServiceClient({ apiKey: "", apiBaseUrl: at.apiBaseUrl });
  const { success, data } = await stranger.models.list();
  assertEquals([success, data.models.map(({ id }) => id)], [true, ["only"]]);
  await assertRejects(() => stranger.models.meta(), MissingAPIKeyError);
  await assertRejects(() => stranger.pricing.retrieve(), MissingAPIKeyError);

  const meta = await at.client.models.meta({ locale: "zh" });
  assertEquals(meta.tiers.map(({ id, name }) => [id, name]), [["standard", "标准"]]);
  assertGreater(meta.providers.length, 0);
  const pricing = await at.client.pricing.retrieve();
  assertEquals(pricing.currency, "credits");
  assertEquals(pricing.tiers.map(({ tier }) => tier), ["standard"]);
});

Deno.test("errors carry the status, the error object and the id to quote", async () => {
  await using at = await withClient();
  const { apiBaseUrl } = at;
  const wrong = new ServiceClient({ apiKey: "svc_live_wrong_key_0123456789", apiBaseUrl });
  const unknown = await errorOf(() => wrong.chat.completions.create({ messages: MESSAGES }));
  assertEquals([unknown.status, codeOf(unknown)], [401, "invalid_api_key"]);
  assertMatch(unknown.requestId ?? "", /^req_/);

  const invalid = await errorOf(() =>
    at.client.chat.completions.create({ messages: [] }, { requestId: "bad-1" })
  );
  assertEquals([invalid.status, codeOf(invalid)], [400, "invalid_request"]);
  assertEquals(invalid.requestId, "bad-1");
  assertEquals(invalid.headers.get("x-request-id"), "bad-1");

  at.upstream.answer(json({ error: { message: "No" } }, { status: 500 }));
  const failed = await errorOf(() => at.client.chat.completions.create({ messages: MESSAGES }));
  assertEquals([failed.status, codeOf(failed)], [502, "upstream_error"]);
  assertMatch(failed.requestId ?? "", /^req_/);
  await at.service.assertBooks();
});

function codeOf(error: ServiceAPIError): unknown {
  const { body } = error;
  assert(typeof body === "object" && body !== null && "code" in body);
  return body.code;
}

for (const status of [301, 302, 303, 307, 308]) {
  Deno.test(`a redirect by ${status} carries neither key nor prompt to another host`, async () => {
    await using own = new FakeUpstream();
    await using other = new FakeUpstream();
    other.otherwise(json(completion()));
    // Another port is another origin; so is another name of the same machine.
    const location = `http://localhost:${other.port}/openai/v1/chat/completions`;
    own.otherwise(fixed("", { status, headers: { location } }));
    const apiBaseUrl = `http://127.0.0.1:${own.port}`;
    const client = new ServiceClient({ apiKey: BOOTSTRAP_KEY, apiBaseUrl });
    const { completions } = client.chat;
    await assertRejects(() => completions.create({ messages: MESSAGES }));
    await assertRejects(() => completions.stream({ messages: MESSAGES }).next());
    await assertRejects(() => client.models.meta());
    assertEquals(own.last.headers.get("authorization"), `Bearer ${BOOTSTRAP_KEY}`);
    assertEquals([own.requests.length, other.connections], [3, 0]);
  });
}
