/**
 * Recorded streams, cut at every byte: the client tells the same events of each, wherever the network
 * splits it.
 *
 * @module
 */

import { assert, assertEquals, assertGreater } from "@std/assert";
import { ServiceClient } from "@svc/sdk";
import { TestService } from "../fixtures/service.ts";
import { ANTHROPIC } from "../fixtures/upstreams/anthropic.ts";
import { WEATHER } from "../fixtures/upstreams/received_request.ts";
import { COHERE } from "../fixtures/upstreams/cohere.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";
import { MISTRAL, OPENAI } from "../fixtures/upstreams/openai.ts";
import { RESPONSES } from "../fixtures/upstreams/responses.ts";
import type { Recorded, Wire } from "../fixtures/upstreams/wire.ts";

const WIRES: Readonly<Record<string, Wire>> = {
  ...{ ANTHROPIC, COHERE, GOOGLE, MISTRAL, OPENAI, RESPONSES },
};
const KINDS = ["text", "tool", "parallel", "signed", "schema", "refusal", "length"] as const;

/** Everything that a client tells of a stream: its events, and how it ends. */
async function textOf(...pieces: Uint8Array<ArrayBuffer>[]): Promise<string> {
  const client = new ServiceClient({
    ...{ apiKey: "key", apiBaseUrl: "http://svc.test", defaultLocalTools: false, timeoutMs: 0 },
    fetch: () => Promise.resolve(new Response(ReadableStream.from(pieces))),
  });
  const stream = client.chat.completions.stream({ messages: [] });
  const seen: unknown[] = [];
  try {
    for await (const event of stream) seen.push(event);
    seen.push(await stream);
  } catch (error) {
    // Not every provider ends a stream as the service does.
    seen.push(String(error));
  }
  return JSON.stringify(seen);
}

/** Lengths of pieces, in bytes: a byte, less than a line, and about a line. */
const PIECE_BYTES = [1, 7, 64] as const;

/** Cuts bytes at `first`, and then at every `length` bytes. */
function piecesOf(
  bytes: Uint8Array<ArrayBuffer>,
  { first, length }: { first: number; length: number },
): Uint8Array<ArrayBuffer>[] {
  const pieces = [bytes.slice(0, first)];
  for (let at = first; at < bytes.length; at += length) pieces.push(bytes.slice(at, at + length));
  return pieces;
}

/**
 * Compares streams in pieces of each length with the whole: between them, each length has a cut at
 * every byte. Returns the text of the events.
 */
async function assertSame(text: string, name: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const whole = await textOf(bytes);
  for (const length of PIECE_BYTES) {
    for (let first = 1; first <= length; first++) {
      const cut = await textOf(...piecesOf(bytes, { first, length }));
      if (cut !== whole) assertEquals(cut, whole, `${name}, cut at ${first} + n * ${length}`);
    }
  }
  return whole;
}

/** Returns the data of a frame. */
function dataOf(frame: string): string[] {
  const data = frame.split("\n").filter((line) => line.startsWith("data:"));
  return data.length === 0 ? [] : [data.map((line) => line.slice(5).trim()).join("\n")];
}

for (const [name, wire] of Object.entries(WIRES)) {
  Deno.test(`streams recorded of ${name} are the same however they are cut`, async () => {
    for (const kind of KINDS) {
      const recorded: Recorded | undefined = wire[kind];
      if (recorded === undefined) continue;
      const frames = recorded.frames.map(String);
      const whole = await assertSame(frames.join(""), `${name} ${kind}`);
      const sent = frames.flatMap(dataOf).filter((data) => data !== "[DONE]");
      const events: unknown[] = JSON.parse(whole);
      assertGreater(sent.length, 0);
      // Each event as it came, but for the choices that there are always, and then the end.
      assertEquals(
        events.slice(0, sent.length).map((event) => ({ choices: [], ...Object(event) })),
        [
          ...sent.map((data) => ({ choices: [], ...JSON.parse(data) })),
        ],
      );
      assertEquals(events.length, sent.length + 1);
    }
  });
}

const ASKED: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "words of many bytes": {
    messages: [{ role: "user", content: "世界 👩🏽‍🚀 Grüße" }],
    max_completion_tokens: 16,
  },
  "a tool call": { messages: [{ role: "user", content: "Use get_weather" }], tools: [WEATHER] },
};

for (const [name, request] of Object.entries(ASKED)) {
  Deno.test(`the service's own stream is the same however it is cut: ${name}`, async () => {
    await using service = await TestService.start();
    const response = await service.chat({ ...request, stream: true });
    const text = await response.text();
    assert(text.endsWith("data: [DONE]\n\n"));
    const keptAlive = `\uFEFF: keep-alive\r\n\r\n${text.replaceAll("\n", "\r\n")}`;
    const whole = await assertSame(keptAlive, name);
    assertEquals(whole, await textOf(new TextEncoder().encode(text)));
    assert(!whole.includes("Error"));
  });
}
