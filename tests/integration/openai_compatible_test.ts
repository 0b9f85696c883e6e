import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { UpstreamFailure } from "../../gateway/ports/upstream.ts";
import type { Dial } from "../../gateway/upstreams/openai_compatible/reachability.ts";
import {
  chunk,
  FakeUpstream,
  fixed,
  json,
  LAST_CHUNK,
  type Script,
  sse,
  type Step,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import {
  ANSWER,
  ask,
  assertFailure,
  BODY,
  callOf,
  FIRST,
  readAll,
  upstreamAt,
} from "../fixtures/openai_compatible.ts";
import { freePort } from "../fixtures/free_port.ts";

/** A host that never answers a connection. */
const SILENT: Dial = ({ signal }) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
  });

Deno.test("a request keeps its bytes and carries the operator's headers only", async () => {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(`${fake.baseUrl}/?v=2`);
  fake.answer(fixed(ANSWER));
  const tail =
    ' , "temperature":1.0, "seed":12345678901234567890,"messages":[{"role":"assistant",' +
    '"tool_calls":[{"id":"t","extra_content":{"google":{"thought_signature":"A\\/\\u0042=="}},' +
    '"thought_signature":"s\\u00e9"}]}],"x_unknown":[1e5,"é\\ud83d\\ude00"]}';
  await lab.upstream.call(callOf(`{ "mod\\u0065l": "auto"${tail}`));
  assertEquals(fake.last.text, `{ "mod\\u0065l": "real-model"${tail}`);
  assertEquals(fake.last.method, "POST");
  assertEquals(fake.last.target, "/v1/chat/completions?v=2");
  assertEquals(fake.last.headers.get("authorization"), "Bearer sk-operator-0123456789");
  assertEquals(fake.last.headers.get("content-type"), "application/json");
  assertEquals(fake.last.headers.get("accept"), "application/json");
  assertEquals(fake.last.headers.get("x-request-id"), "req_1");
});

Deno.test("an answer keeps its bytes and brings its usage", async () => {
  const text = `${ANSWER.slice(0, -1)}, "x":1.0,"y":12345678901234567890,"x":"\\u0041"}\n`;
  const answer = await ask(fixed(text));
  assert(answer.kind === "json");
  assertEquals(answer.body.text, text);
  assertEquals(answer.usage, { inputTokens: 9, cachedInputTokens: 4, outputTokens: 2 });
});

Deno.test("invalid usage counts as unreported", async () => {
  const answer = await ask(json({ choices: [], usage: "many" }));
  assert(answer.kind === "json");
  assertEquals(answer.usage, undefined);
});

Deno.test("usage with an odd number in it is read as it came: the settlement judges it", async () => {
  const cached = { prompt_tokens_details: { cached_tokens: 3 } };
  const read = { inputTokens: 2, cachedInputTokens: 0, outputTokens: 2 };
  const odd = [
    [{ prompt_tokens: 1.5, completion_tokens: 2 }, { ...read, inputTokens: 1.5 }],
    [{ prompt_tokens: 2, completion_tokens: 2, ...cached }, { ...read, cachedInputTokens: 2 }],
  ] as const;
  for (const [usage, expected] of odd) {
    const answer = await ask(json({ choices: [], usage }));
    assert(answer.kind === "json");
    assertEquals(answer.usage, expected);
  }
});

Deno.test("an answer in pieces, without a length, is one answer", async () => {
  const bytes = new TextEncoder().encode(ANSWER.replace("Hi", "é".repeat(50_000)));
  const pieces = [bytes.slice(0, 90), bytes.slice(90, 40_001), bytes.slice(40_001)].map(chunk);
  const answer = await ask([
    streamHead({ "content-type": "application/json; charset=utf-8" }),
    ...pieces,
    LAST_CHUNK,
  ]);
  assert(answer.kind === "json");
  assertEquals(answer.body.text, new TextDecoder().decode(bytes));
});

Deno.test("connections are used again, after answers, streams and errors", async () => {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(fake.baseUrl);
  for (let round = 0; round < 3; round++) {
    fake.answer(fixed(ANSWER), sse([FIRST]), json({ error: {} }, { status: 500 }));
    await lab.upstream.call(callOf(BODY));
    await readAll(await lab.upstream.call(callOf(BODY, { stream: true })));
    await lab.upstream.call(callOf(BODY));
  }
  assertEquals(fake.requests.length, 9);
  // One for all, but that a busy machine may find one closed by its idle limit.
  assert(fake.connections <= 3, `${fake.connections} connections`);
});

const STATUSES: readonly [number, unknown, UpstreamFailure["outcome"]][] = [
  [400, { error: { message: "Bad field", param: "messages.0", code: "invalid" } }, "refused_input"],
  [400, { error: { message: "No", code: "model_not_found" } }, "server_error"],
  [400, { error: { message: "Not for you", param: "model" } }, "server_error"],
  [400, { error: { message: "invalid model ID" } }, "server_error"],
  [400, [{ error: { code: 400, message: "API key not valid." } }], "refused_credentials"],
  [400, "no JSON", "refused_input"],
  [
    401,
    { error: { message: "Incorrect API key provided: sk-operator-01234" } },
    "refused_credentials",
  ],
  [402, { error: { message: "Insufficient balance" } }, "refused_credentials"],
  [403, { error: "no" }, "refused_credentials"],
  [
    404,
    { error: { message: "The model `x` does not exist", code: "model_not_found" } },
    "server_error",
  ],
  [404, { detail: "Not Found" }, "server_error"],
  [404, { error: { message: "File not found", param: "file_id" } }, "refused_input"],
  [408, {}, "timeout"],
  [409, {}, "server_error"],
  [413, { error: { message: "Too large" } }, "refused_input"],
  [422, { detail: "temperature: out of range" }, "refused_input"],
  [429, { error: { message: "Slow down" } }, "rate_limited"],
  [500, { error: { message: "Oops" } }, "server_error"],
  [503, null, "server_error"],
  [504, {}, "timeout"],
  [529, {}, "server_error"],
];

for (const [status, body, outcome] of STATUSES) {
  Deno.test(`status ${status} with ${JSON.stringify(body)} is ${outcome}`, async () => {
    for (const streamed of [false, true]) {
      const answer = await ask(json(body, { status }), { stream: streamed });
      assertFailure(answer, outcome);
      assertEquals(answer.status, status);
    }
  });
}

Deno.test("an error answer that does not end, or does not come whole, is known by its status", async () => {
  const start = {
    send: "HTTP/1.1 429 Scripted\r\nretry-after: 3\r\ntransfer-encoding: chunked\r\n\r\n",
  };
  const long = Array.from({ length: 5 }, () => chunk("x".repeat(20_000)));
  for (const rest of [[...long, { stall: true } as const], [{ close: true } as const]]) {
    const answer = await ask([start, ...rest]);
    assertFailure(answer, "rate_limited");
    assertEquals(answer.retryAfterMs, 3_000);
    assertEquals(answer.message, "The upstream answered 429");
  }
});

Deno.test("the caller's mistake is passed on, bounded and without keys", async () => {
  const message = `Bad sk-operator-0123456789 ${"x ".repeat(2_000)}`;
  const error = { message, param: "messages.2.content", code: "invalid_value" };
  const answer = await ask(json({ error }, { status: 400 }));
  assertFailure(answer, "refused_input");
  assertEquals(answer.param, "messages.2.content");
  assertEquals(answer.code, "invalid_value");
  assertStringIncludes(answer.message, "Bad [redacted] x");
  assert(answer.message.length <= 1_000);
});

Deno.test("Retry-After is read in seconds, as a date and in milliseconds", async () => {
  const after = async (headers: Record<string, string>) => {
    const answer = await ask(json({}, { status: 429, headers }));
    assertFailure(answer, "rate_limited");
    return answer.retryAfterMs;
  };
  assertEquals(await after({ "retry-after": "7" }), 7_000);
  assertEquals(await after({ "retry-after": "7", "retry-after-ms": "350" }), 350);
  const dated = await after({ "retry-after": new Date(Date.now() + 60_000).toUTCString() });
  assert(dated !== undefined && dated > 0 && dated <= 60_000);
  assertEquals(await after({ "retry-after": "soon" }), undefined);
  assertEquals(await after({}), undefined);
});

Deno.test("an error with status 200 is a failure", async () => {
  const error = { message: "Slow down", code: 429 };
  for (const streamed of [false, true]) {
    assertFailure(await ask(json({ error }), { stream: streamed }), "rate_limited");
    assertFailure(
      await ask(json({ error: { message: "x" } }), { stream: streamed }),
      "server_error",
    );
  }
  const vllm = { object: "error", message: "too long", code: 400 };
  assertFailure(await ask(json(vllm)), "refused_input");
});

Deno.test("a redirect is never followed", async () => {
  await using elsewhere = new FakeUpstream();
  const headers = { location: `${elsewhere.baseUrl}/chat/completions` };
  for (const status of [301, 302, 307, 308]) {
    const answer = await ask(json({}, { status, headers }));
    assertFailure(answer, "server_error");
    assertEquals(answer.status, status);
  }
  assertEquals(elsewhere.connections, 0);
});

const MALFORMED: Readonly<Record<string, Script>> = {
  "HTML": fixed("<html>", { headers: { "content-type": "text/html" } }),
  "no content type": [{ send: "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}" }],
  "no JSON": fixed("{"),
  "an array": fixed("[]"),
  "no choices": fixed("{}"),
  "choices that are no array": json({ choices: {} }),
  "invalid UTF-8": fixed(new Uint8Array([0x7b, 0xff, 0x7d])),
  "nested too deep": fixed(`{"choices":${"[".repeat(5_000)}${"]".repeat(5_000)}}`),
  "a stream": sse([FIRST]),
  "a length beyond the limit": [{
    send:
      "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99999999999\r\n\r\n{",
  }, { stall: true }],
};

for (const [name, script] of Object.entries(MALFORMED)) {
  Deno.test(`an answer that is ${name} is malformed`, async () => {
    assertFailure(await ask(script), "malformed");
  });
}

Deno.test("a connection that breaks before the answer is complete is a failure", async () => {
  assertFailure(await ask([{ close: true }]), "connect_failed");
  assertFailure(await ask([{ reset: true }]), "connect_failed");
  const start: Step = { send: "HTTP/1.1 200 OK\r\n" };
  assertFailure(await ask([start, { close: true }]), "connect_failed");
  const half: Step[] = [{
    send: `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n${BODY}`,
  }];
  assertFailure(await ask([...half, { close: true }]), "server_error");
  assertFailure(await ask([...half, { reset: true }]), "server_error");
});

Deno.test("a refused connection and an unknown host name fail to connect", async () => {
  for (const base of [`http://127.0.0.1:${freePort()}/v1`, "http://host.invalid/v1"]) {
    using lab = upstreamAt(base);
    const answer = await lab.upstream.call(callOf(BODY));
    assertFailure(answer, "connect_failed");
    assertEquals(answer.status, undefined);
  }
});

Deno.test("without headers in time, an unreachable host is not waited for", async () => {
  const timeouts = { connectMs: 20 };
  const refused = () => Promise.reject(new Deno.errors.ConnectionRefused());
  assertFailure(await ask([{ stall: true }], {}, { timeouts, dial: refused }), "connect_failed");
  assertFailure(await ask([{ stall: true }], {}, { timeouts, dial: SILENT }), "connect_failed");
});

Deno.test("without headers in time, a connected host is waited for", async () => {
  const timeouts = { connectMs: 500 };
  const dials: readonly Dial[] = [(options) => Deno.connect(options), SILENT];
  for (const dial of dials) {
    const dialled = Promise.withResolvers<void>();
    const answer = await ask([{ until: dialled.promise }, ...fixed(ANSWER)], {}, {
      timeouts,
      dial: async (options) => {
        const dialling = dial(options);
        // One is answered after it was found to be there, the other before anybody can tell.
        if (dial !== SILENT) await dialling;
        dialled.resolve();
        return await dialling;
      },
    });
    assertEquals(answer.kind, "json");
  }
});

Deno.test("behind a proxy no host is dialled", async () => {
  let dialled = 0;
  const dial = () => Promise.reject(++dialled);
  const env = { http_proxy: "http://127.0.0.1:9" };
  const timeouts = { connectMs: 20 };
  const answer = await ask([{ waitMs: 60 }, ...fixed(ANSWER)], {}, { timeouts, dial, env });
  assertEquals(answer.kind, "json");
  assertEquals(dialled, 0);
});

Deno.test("the first byte and the rest have limits of their own", async () => {
  const first = { connectMs: 10_000, firstByteMs: 30, idleMs: 10_000 };
  const idle = { connectMs: 10_000, firstByteMs: 10_000, idleMs: 30 };
  const head = streamHead({ "content-type": "application/json" });
  assertFailure(await ask([{ stall: true }], {}, { timeouts: first }), "timeout");
  assertFailure(await ask([head, { stall: true }], {}, { timeouts: first }), "timeout");
  const begun = [head, chunk('{"choices"'), { stall: true }] as const;
  assertFailure(await ask(begun, {}, { timeouts: idle }), "timeout");
  const silent = [streamHead(), { stall: true }] as const;
  assertFailure(await ask(silent, { stream: true }, { timeouts: first }), "timeout");
});

Deno.test("cancelling frees the connection at once, in every phase", async () => {
  const head = streamHead({ "content-type": "application/json" });
  const phases: readonly [Script, boolean][] = [
    [[], false],
    [[head], false],
    [[head, chunk("{")], false],
    [[streamHead()], true],
    [[streamHead(), chunk(": x\n\n")], true],
  ];
  for (const [phase, stream] of phases) {
    await using fake = new FakeUpstream();
    using lab = upstreamAt(fake.baseUrl);
    fake.answer([...phase, { stall: true }]);
    const caller = new AbortController();
    const call = lab.upstream.call(callOf(BODY, { signal: caller.signal, stream }));
    await fake.stalling();
    caller.abort();
    assertFailure(await call, "cancelled");
    await fake.clientLeft();
  }
});

Deno.test("a call that is cancelled already sends nothing", async () => {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(fake.baseUrl);
  const answer = await lab.upstream.call(callOf(BODY, { signal: AbortSignal.abort() }));
  assertFailure(answer, "cancelled");
  assertEquals(fake.requests.length, 0);
});

Deno.test("models() lists names, and says why it cannot", async () => {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(fake.baseUrl);
  const { signal } = new AbortController();
  fake.answer(json({ data: [{ id: "a" }, { id: "b" }, { id: 3 }, null] }));
  assertEquals(await lab.upstream.models(signal), ["a", "b"]);
  assertEquals(fake.last.target, "/v1/models");
  fake.answer(json({}, { status: 401 }), json({ data: 1 }), [{ close: true }]);
  await assertRejects(() => lab.upstream.models(signal), Error, "status 401");
  await assertRejects(() => lab.upstream.models(signal), Error, "no list of models");
  await assertRejects(() => lab.upstream.models(signal), Error, 'models of upstream "lab"');
  await assertRejects(() => lab.upstream.models(AbortSignal.abort()), Error, "cancelled");
});
