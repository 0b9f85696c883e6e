/**
 * Streams are read over the socket from plain HTTP, and with `fetch` from TLS and through a proxy:
 * callers see no difference.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { UpstreamCut } from "../../gateway/ports/upstream.ts";
import {
  chunk,
  FakeUpstream,
  fixed,
  json,
  LAST_CHUNK,
  type Script,
  sse,
  streamHead,
} from "../fixtures/fake_upstream.ts";
import {
  assertFailure,
  BODY,
  callOf,
  FIRST,
  LAST,
  readAll,
  SECOND,
  upstreamAt,
} from "../fixtures/openai_compatible.ts";

/** A variable that names a proxy; no proxy is used, because the process itself does not have it. */
const PROXIED = { HTTP_PROXY: "http://proxy.invalid" };
const WHOLE = `data: ${FIRST}\n\ndata: ${SECOND}\n\ndata: ${LAST}\n\ndata: [DONE]\n\n`;
const TYPE = { "content-type": "text/event-stream" };
const LONG = `{"choices":[{"index":0,"delta":{"content":"${"网 ".repeat(500_000)}"}}]}`;

async function gzip(text: string): Promise<Uint8Array> {
  const body = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return await new Response(body).bytes();
}

const SCRIPTS: Readonly<Record<string, Script>> = {
  "a whole stream": sse([FIRST, SECOND, LAST]),
  "a stream with a length": fixed(WHOLE, { headers: TYPE }),
  "a compressed stream": fixed(await gzip(WHOLE), {
    headers: { ...TYPE, "content-encoding": "gzip" },
  }),
  "long events": sse([FIRST, LONG, LONG, LAST]),
  "much after the marker": [
    streamHead(),
    chunk(`data: ${FIRST}\n\ndata: [DONE]\n\n: ${"x".repeat(50_000)}\n\n`),
    LAST_CHUNK,
  ],
  "an end without its marker": [streamHead(), chunk(`data: ${FIRST}\n\n`), LAST_CHUNK],
  "a closed connection": [streamHead(), chunk(`data: ${FIRST}\n\n`), { close: true }],
  "half a frame": [streamHead(), chunk(`data: ${FIRST}\n\ndata: {"cho`), { close: true }],
  "half a chunk": [streamHead(), chunk(`data: ${FIRST}\n\n`), { send: "40\r\ndata" }, {
    close: true,
  }],
  "a size that is none": [streamHead(), chunk(`data: ${FIRST}\n\n`), { send: "no size\r\n" }],
  "invalid UTF-8": [
    streamHead(),
    chunk(`data: ${FIRST}\n\n`),
    chunk(new Uint8Array([0x64, 0xff, 0xfe, 0x0a])),
    LAST_CHUNK,
  ],
  "an error event": [
    streamHead(),
    chunk(`data: ${FIRST}\n\ndata: {"error":{"message":"overloaded"}}\n\n`),
    LAST_CHUNK,
  ],
  "a refusal": json({ error: { message: "Slow down" } }, {
    status: 429,
    headers: { "retry-after": "7" },
  }),
  "a JSON answer": json({ choices: [] }),
  "no content": [{ send: "HTTP/1.1 204 No Content\r\n\r\n" }],
};

/** Everything that a caller of the upstream learns. */
async function learned(script: Script, env: Readonly<Record<string, string>>): Promise<unknown> {
  await using fake = new FakeUpstream();
  using lab = upstreamAt(fake.baseUrl, { env });
  fake.answer(script);
  const answer = await lab.upstream.call(callOf(BODY, { stream: true }));
  if (answer.kind === "failure") return { ...answer, message: "" };
  assert(answer.kind === "stream");
  const { events, fault } = await readAll(answer);
  if (fault === undefined) return { events };
  assert(fault instanceof UpstreamCut);
  return { events, outcome: fault.outcome, message: fault.message, words: fault.words };
}

for (const [name, script] of Object.entries(SCRIPTS)) {
  Deno.test(`${name} is the same over the socket and over fetch`, async () => {
    assertEquals(await learned(script, {}), await learned(script, PROXIED));
  });
}

Deno.test("a status beyond all is the server's error", async () => {
  const script = [{ send: "HTTP/1.1 799 What\r\ncontent-length: 0\r\n\r\n" }];
  for (const env of [{}, PROXIED]) {
    await using fake = new FakeUpstream();
    using lab = upstreamAt(fake.baseUrl, { env });
    fake.answer(script);
    assertFailure(await lab.upstream.call(callOf(BODY, { stream: true })), "server_error");
  }
});

Deno.test("requests over the socket and over fetch have the same headers", async () => {
  const headers: unknown[] = [];
  for (const env of [{}, PROXIED]) {
    await using fake = new FakeUpstream();
    using lab = upstreamAt(fake.baseUrl, { env });
    fake.answer(sse([FIRST, LAST]));
    await readAll(await lab.upstream.call(callOf(BODY, { stream: true })));
    const [request] = fake.requests;
    const sent = Object.fromEntries(request?.headers ?? []);
    headers.push({ ...sent, "host": "", "accept-language": "", "connection": "" });
  }
  assertEquals(headers[0], headers[1]);
});
