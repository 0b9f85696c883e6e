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
  assertLess,
  assertMatch,
  assertRejects,
  assertStrictEquals,
} from "@std/assert";
import {
  MissingAPIKeyError,
  ServiceAPIError,
  ServiceClient,
  ServiceTimeoutError,
  tool,
} from "@svc/sdk";
import { GarbageCollection } from "../fixtures/garbage.ts";
import { chunk, FakeUpstream, fixed, json, sse, streamHead } from "../fixtures/fake_upstream.ts";
import { chunkText, completion, labConfig, QUESTION, streamed, usage } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";
import { PLACES, SigningGemini, TURNS } from "../fixtures/upstreams/signing_gemini.ts";

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
  const stream = at.client.chat.completions.stream({ messages: MESSAGES });
  for await (const part of stream) {
    text += part.choices[0]?.delta.content ?? "";
    charged = part.metadata?.billing?.charged ?? charged;
  }
  assertEquals([text, charged], ["Hello there", "0.020000"]);
  const answer = await stream;
  assertEquals(answer.choices[0]?.message.content, "Hello there");
  assertEquals(answer.metadata?.billing?.charged, "0.020000");
  const { outcome, requestId } = await at.service.lastRequest();
  assertEquals([outcome, requestId], ["ok", answer.requestId]);
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

for (const method of ["stream", "runStream"] as const) {
  Deno.test(`a reader of ${method} that takes its time holds the service back`, async () => {
    const words = chunkText({ role: "assistant", content: "x".repeat(50_000) });
    const frame = new TextEncoder().encode(`data: ${words}\n\n`);
    let sent = 0;
    const disconnected = Promise.withResolvers<void>();
    const source: UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> = {
      pull: (controller) => {
        // More than what sockets hold, by far.
        if (++sent > 5_000) controller.close();
        else controller.enqueue(frame);
      },
      cancel: () => disconnected.resolve(),
    };
    const listening = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
    await using server = Deno.serve(listening, () => new Response(new ReadableStream(source)));
    const apiBaseUrl = `http://127.0.0.1:${server.addr.port}`;
    const client = new ServiceClient({ apiKey: BOOTSTRAP_KEY, apiBaseUrl });
    const events = client.chat.completions[method]({ messages: MESSAGES })[Symbol.asyncIterator]();
    for (let read = 0; read < 3; read++) await events.next();
    await new Promise((resolve) => setTimeout(resolve, 500));
    assertLess(sent, 2_000);
    await events.return?.();
    await disconnected.promise;
  });
}

for (const method of ["create", "stream", "run", "runStream"] as const) {
  for (const end of ["a time limit", "a signal"]) {
    Deno.test(`${end} ends ${method} that has stalled, also after garbage collection`, async () => {
      await using service = new FakeUpstream();
      const words = `data: ${chunkText({ role: "assistant", content: "Hello" })}\n\n`;
      const begun = chunk(/stream/i.test(method) ? words : '{"choices":');
      service.answer([streamHead(), begun, { stall: true }]);
      const apiBaseUrl = `http://127.0.0.1:${service.port}`;
      const client = new ServiceClient({ apiKey: BOOTSTRAP_KEY, apiBaseUrl });
      const controller = new AbortController();
      const reason = new Error("Enough");
      const options = end === "a signal" ? { signal: controller.signal } : { timeoutMs: 3_000 };
      const call = client.chat.completions[method]({ messages: MESSAGES }, options);
      const ended = call.then(() => undefined, (error) => error);
      await service.stalling();
      // Not before: collections slow the call, and the limit would end it before it stalls.
      using _collecting = new GarbageCollection();
      // Long enough for what is garbage to be collected.
      await new Promise((resolve) => setTimeout(resolve, 300));
      controller.abort(reason);
      if (end === "a signal") assertStrictEquals(await ended, reason);
      else assertInstanceOf(await ended, ServiceTimeoutError);
      await service.clientLeft();
    });
  }
}

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
    const calls: (() => Promise<unknown>)[] = [
      () => completions.create({ messages: MESSAGES }),
      () => completions.stream({ messages: MESSAGES }).final(),
      () => client.models.meta(),
    ];
    for (const call of calls) assertEquals((await errorOf(call)).status, status);
    assertEquals(own.last.headers.get("authorization"), `Bearer ${BOOTSTRAP_KEY}`);
    assertEquals([own.requests.length, other.connections], [3, 0]);
  });
}

const SUM = { messages: [{ role: "user", content: "What is 17 * 23?" }] };

for (const method of ["create", "stream", "run", "runStream"] as const) {
  Deno.test(`${method} computes with a tool that the client brings along, and bills every turn`, async () => {
    await using service = await TestService.start();
    const apiBaseUrl = service.running.publicUrl;
    const client = new ServiceClient({ apiKey: BOOTSTRAP_KEY, apiBaseUrl });
    const before = (await service.wallet()).spent;
    const answer = await client.chat.completions[method](SUM);
    const text = "choices" in answer ? answer.choices[0]?.message.content : answer.finalText;
    assertMatch(String(text), /391/);
    const billing = "choices" in answer ? answer.metadata?.billing : answer.billing;
    await service.assertBooks();
    const spent = (await service.wallet()).spent - before;
    assertEquals(billing?.charged.replace(".", "").replace(/^0+/, ""), String(spent));
    assertGreater(spent, 0n);
  });
}

for (const kind of ["openai-compatible", "google"] as const) {
  for (const method of ["run", "runStream"] as const) {
    Deno.test(`signed calls survive five turns of ${method}, at ${kind}`, async () => {
      await using gemini = new SigningGemini();
      const model = { id: "signer", baseUrl: gemini.baseUrl(kind), upstream: { kind } };
      await using service = await TestService.start({ config: labConfig(model) });
      const paths: string[] = [];
      const getWeather = tool({
        name: "get_weather",
        description: "Weather of a city",
        parameters: {
          type: "object",
          properties: { city: { type: "string" } },
          required: ["city"],
        },
        execute: ({ city }) => {
          paths.push(city);
          return `Rain in ${city}`;
        },
      });
      const client = new ServiceClient({
        apiKey: BOOTSTRAP_KEY,
        apiBaseUrl: service.running.publicUrl,
        tools: [getWeather],
      });
      const { finalText, steps } = await client.chat.completions[method]({ messages: MESSAGES });
      assertEquals([finalText, steps.length], ["Done", TURNS + 1]);
      assertEquals(paths, PLACES);
      assertEquals([gemini.refused, gemini.foreign], [0, 0]);
      await service.assertBooks();
    });
  }
}
