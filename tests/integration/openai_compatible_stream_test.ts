import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { UpstreamCut, type UpstreamFailure } from "../../gateway/ports/upstream.ts";
import {
  chunk,
  FakeUpstream,
  fixed,
  LAST_CHUNK,
  type Script,
  sse,
  type Step,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import {
  ANSWER,
  ask,
  assertCut,
  assertFailure,
  BODY,
  callOf,
  FIRST,
  LAST,
  readAll,
  SECOND,
  stream,
  upstreamAt,
} from "../fixtures/openai_compatible.ts";
import { ManualClock } from "../fixtures/service.ts";

Deno.test("a stream brings its events byte for byte and ends clean", async () => {
  const odd = '{"choices":[{"delta":{"tool_calls":[{"extra_content":{"google":' +
    '{"thought_signature":"A\\/B=="}}}]}}],"n":1.0,"x":12345678901234567890, "é":"\\u0041"}';
  const { events, fault } = await stream(sse([FIRST, odd, LAST]));
  assertEquals(events, [FIRST, odd, LAST]);
  assertEquals(fault, undefined);
});

Deno.test("a stream is understood however its bytes are cut", async () => {
  const smile = '{"choices":[{"index":0,"delta":{"content":"é😀"}}]}';
  const wire = `: hello\r\n\r\nid: 1\r\ndata: ${smile}\r\n\r\ndata:${LAST}\n\ndata: [DONE]\n\n`;
  const bytes = new TextEncoder().encode(wire);
  for (const size of [1, 7, 64]) {
    const pieces: Step[] = [];
    for (let at = 0; at < bytes.length; at += size) pieces.push(chunk(bytes.slice(at, at + size)));
    const { events, fault } = await stream([streamHead(), ...pieces, LAST_CHUNK]);
    assertEquals(events, [smile, LAST]);
    assertEquals(fault, undefined);
  }
});

Deno.test("a stream asks for usage, and an event stream", async () => {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(fake.baseUrl);
  fake.answer(sse([FIRST]));
  await readAll(await lab.upstream.call(callOf(BODY, { stream: true })));
  assertEquals(fake.last.headers.get("accept"), "text/event-stream");
  assertStringIncludes(fake.last.text, ',"stream_options":{"include_usage":true}}');
});

Deno.test("bytes after [DONE] are not part of the stream", async () => {
  const end = chunk(`data: ${LAST}\n\ndata: [DONE]\n\ndata: ${SECOND}\n\n`);
  const { events, fault } = await stream([streamHead(), end, chunk(`data: x\n\n`), LAST_CHUNK]);
  assertEquals(events, [LAST]);
  assertEquals(fault, undefined);
});

for (const [name, end] of Object.entries({ "its blank line": "\n", "the end of its line": "" })) {
  Deno.test(`the last event counts without ${name} where it is whole`, async () => {
    const head = [streamHead(), chunk(`data: ${FIRST}\n\n`)];
    const last = await stream([...head, chunk(`data: ${LAST}${end}`), LAST_CHUNK]);
    assertEquals(last.events, [FIRST, LAST]);
    assertCut(last.fault, "cut");
    const done = await stream([...head, chunk(`data: [DONE]${end}`), LAST_CHUNK]);
    assertEquals([done.events, done.fault], [[FIRST], undefined]);
    for (const half of [LAST.slice(0, -1), "7", "[DON"]) {
      const cut = await stream([...head, chunk(`data: ${half}${end}`), LAST_CHUNK]);
      assertEquals(cut.events, [FIRST]);
      assertCut(cut.fault, "cut");
    }
  });
}

Deno.test("a connection that stays open after [DONE] delays nothing", async () => {
  const { fault } = await stream([streamHead(), chunk(`data: ${LAST}\n\ndata: [DONE]\n\n`), {
    stall: true,
  }]);
  assertEquals(fault, undefined);
});

const BROKEN: Readonly<Record<string, [Step[], UpstreamCut["outcome"]]>> = {
  "its end without [DONE]": [[LAST_CHUNK], "cut"],
  "a cut between frames": [[{ close: true }], "cut"],
  "a cut in a frame": [[chunk("data: {"), { close: true }], "cut"],
  "a cut in a piece": [[{ send: "40\r\ndata: {" }, { close: true }], "cut"],
  "a reset": [[{ reset: true }], "cut"],
  "a stall": [[{ stall: true }], "timeout"],
  "an error event": [
    [chunk('event: error\ndata: {"message":"Oops"}\n\n'), LAST_CHUNK],
    "server_error",
  ],
  "an error frame": [[chunk('data: {"error":{"message":"Oops"}}\n\n'), LAST_CHUNK], "server_error"],
  "invalid UTF-8": [[chunk(new Uint8Array([0x64, 0xff, 0x0a])), LAST_CHUNK], "malformed"],
};

for (const [name, [steps, outcome]] of Object.entries(BROKEN)) {
  Deno.test(`a stream broken by ${name} is not a clean end`, async () => {
    const head = [streamHead(), chunk(`data: ${FIRST}\n\n`)];
    const { events, fault } = await stream([...head, ...steps], { timeouts: { idleMs: 80 } });
    assertEquals(events, [FIRST]);
    assertCut(fault, outcome);
  });
}

Deno.test("events before an error in the same read are delivered first", async () => {
  const both = chunk(`data: ${FIRST}\n\ndata: {"error":{"message":"Oops sk-abcdefghijkl"}}\n\n`);
  const { events, fault } = await stream([streamHead(), both, LAST_CHUNK]);
  assertEquals(events, [FIRST]);
  assertCut(fault, "server_error");
  assertInstanceOf(fault, UpstreamCut);
  // Callers have a sentence of ours; the operator has the upstream's words, without the secret.
  assertEquals([fault.message, fault.words], ["The upstream reported an error", "Oops [redacted]"]);
});

Deno.test("an event that mentions errors is not an error", async () => {
  const spoken = '{"choices":[{"delta":{"content":"{\\"error\\":1}","x":"error"}}],"error":null}';
  const { events, fault } = await stream(sse([spoken]));
  assertEquals(events, [spoken]);
  assertEquals(fault, undefined);
});

const NO_STREAM: Readonly<Record<string, [Script, UpstreamFailure["outcome"]]>> = {
  "JSON": [fixed(ANSWER), "malformed"],
  "HTML": [fixed("<p>", { headers: { "content-type": "text/html" } }), "malformed"],
  "nothing": [[streamHead(), LAST_CHUNK], "server_error"],
  "[DONE] alone": [sse([]), "malformed"],
  "a first frame that is no JSON": [sse(["Hello"]), "malformed"],
  "a first frame that is no object": [sse(["[1]"]), "malformed"],
  "a rate limit": [sse(['{"error":{"message":"Slow down","code":429}}']), "rate_limited"],
  "an error event": [
    [streamHead(), chunk("event: error\ndata: Oops\n\n"), LAST_CHUNK],
    "server_error",
  ],
  "a refusal": [sse(['{"error":{"message":"Bad","code":400,"param":"n"}}']), "refused_input"],
  "a cut": [[streamHead(), chunk(": x\n\n"), { close: true }], "server_error"],
  "a reset": [[streamHead(), { reset: true }], "server_error"],
  "invalid UTF-8": [[streamHead(), chunk(new Uint8Array([0xff])), LAST_CHUNK], "malformed"],
};

for (const [name, [script, outcome]] of Object.entries(NO_STREAM)) {
  Deno.test(`a stream that begins with ${name} is a failure`, async () => {
    assertFailure(await ask(script, { stream: true }), outcome);
  });
}

Deno.test("a frame beyond the limit is malformed, also as the first", async () => {
  const endless: Step[] = Array.from({ length: 17 }, () => chunk("x".repeat(1024 * 1024)));
  const huge = [chunk('data: {"a":"'), ...endless, { stall: true } as const];
  assertFailure(await ask([streamHead(), ...huge], { stream: true }), "malformed");
  const later = await stream([streamHead(), chunk(`data: ${FIRST}\n\n`), ...huge]);
  assertEquals(later.events, [FIRST]);
  assertCut(later.fault, "malformed");
});

Deno.test("leaving a stream cancels the upstream, also while a read is pending", async () => {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(fake.baseUrl);
  fake.otherwise([streamHead(), chunk(`data: ${FIRST}\n\n`), { stall: true }]);

  const reply = await lab.upstream.call(callOf(BODY, { stream: true }));
  assert(reply.kind === "stream");
  for await (const _batch of reply.events) break;
  await fake.clientLeft(1);

  const unread = await lab.upstream.call(callOf(BODY, { stream: true }));
  assert(unread.kind === "stream");
  await unread.events[Symbol.asyncIterator]().return?.();
  await fake.clientLeft(2);

  const pending = await lab.upstream.call(callOf(BODY, { stream: true }));
  assert(pending.kind === "stream");
  const events = pending.events[Symbol.asyncIterator]();
  await events.next();
  const next = assertRejects(async () => await events.next(), UpstreamCut);
  await events.return?.();
  await next;
  await fake.clientLeft(3);
});

Deno.test("a disconnect cancels the stream", async () => {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(fake.baseUrl);
  fake.answer([streamHead(), chunk(`data: ${FIRST}\n\n`), { stall: true }]);
  const caller = new AbortController();
  const call = callOf(BODY, { stream: true, signal: caller.signal });
  const answer = await lab.upstream.call(call);
  const read = readAll(answer);
  caller.abort();
  assertCut((await read).fault, "cut");
  await fake.clientLeft();
});

Deno.test("a consumer that takes its time is not the upstream's stall", async () => {
  await using fake = new FakeUpstream();
  const clock = new ManualClock();
  using lab = upstreamAt(fake.baseUrl, { clock, timeouts: { idleMs: 40 } });
  fake.answer([
    streamHead(),
    chunk(`data: ${FIRST}\n\n`),
    { waitMs: 20 },
    chunk(`data: ${LAST}\n\ndata: [DONE]\n\n`),
    LAST_CHUNK,
  ]);
  const answer = await lab.upstream.call(callOf(BODY, { stream: true }));
  assert(answer.kind === "stream");
  const events: string[] = [];
  for await (const batch of answer.events) {
    events.push(...batch);
    clock.advance(1_000);
    // Time for a timer that should not run.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  assertEquals(events, [FIRST, LAST]);
});

Deno.test("many calls at once keep apart", async () => {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(fake.baseUrl);
  fake.otherwise(sse([FIRST, SECOND, LAST]));
  const calls = Array.from({ length: 30 }, async () => {
    const answer = await lab.upstream.call(callOf(BODY, { stream: true }));
    return (await readAll(answer)).events;
  });
  for (const events of await Promise.all(calls)) assertEquals(events, [FIRST, SECOND, LAST]);
  assertEquals(fake.requests.length, 30);
});
