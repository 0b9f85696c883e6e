import { assert, assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { EventReader } from "./sse.ts";

const encoder = new TextEncoder();

/** A body that comes in these pieces. */
function body(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces);
}

/** The data of each event, one after the other. */
async function* eventData(source: ReadableStream<Uint8Array>): AsyncGenerator<string, void, void> {
  const reader = new EventReader(source);
  try {
    for (let texts = await reader.read(); texts !== undefined; texts = await reader.read()) {
      yield* texts;
    }
  } finally {
    await reader.cancel();
  }
}

async function read(...pieces: Uint8Array[]): Promise<string[]> {
  return await Array.fromAsync(eventData(body(pieces)));
}

const CHAT = [
  ": keep-alive",
  "",
  'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"Grüße, 世界 👩🏽‍🚀"}}]}',
  "",
  ": keep-alive",
  "",
  'data: {"choices":[],"usage":{"total_tokens":3}}',
  "",
  "data: [DONE]",
  "",
  "",
];

const STREAMS: Readonly<Record<string, readonly [text: string, events: readonly string[]]>> = {
  "chat chunks with keep-alives": [
    CHAT.join("\n"),
    [2, 6, 8].map((at) => CHAT[at]?.slice(6) ?? ""),
  ],
  "named events with ids": [
    'event: response.created\nid: 1\nretry: 5\ndata: {"n":1}\n\nevent: ping\ndata: {"n":2}\n\n',
    ['{"n":1}', '{"n":2}'],
  ],
  "data in several lines": ['data: {\ndata:"n":1\ndata:  }\n\n', ['{\n"n":1\n }']],
  "no space, an empty line and strange fields": [
    "data:1\n\n\n\nwhatever\ndatum: no\n:\ndata\n\ndata:  2\n\n",
    ["1", "", " 2"],
  ],
  "a byte order mark": ["\uFEFFdata: 1\n\n", ["1"]],
  "an event that was cut": ["data: 1\n\ndata: 2\n", ["1"]],
  "an event that was cut in its object": ['data: 1\n\ndata: {"n":\ndata: 2', ["1"]],
  "a whole event without its blank line": ['data: 1\n\nevent: x\ndata: {"n":2}\n', [
    "1",
    '{"n":2}',
  ]],
  "a whole event without the end of its line": ['data: {"n":2}', ['{"n":2}']],
  "[DONE] without its blank line": ["data: 1\n\ndata: [DONE]", ["1", "[DONE]"]],
  "nothing but comments": [": one\n\n: two\n\n", []],
  "nothing": ["", []],
};

const LINE_ENDS = { LF: "\n", CRLF: "\r\n", CR: "\r" };

for (const [name, [text, events]] of Object.entries(STREAMS)) {
  for (const [ending, end] of Object.entries(LINE_ENDS)) {
    const bytes = encoder.encode(text.replaceAll("\n", end));

    Deno.test(`${name}, with ${ending}: the same events for a cut at every byte`, async () => {
      // A lone CR at the very end may be half of a CRLF; the event is known all the same.
      for (let at = 0; at <= bytes.length; at++) {
        assertEquals(await read(bytes.slice(0, at), bytes.slice(at)), [...events], `cut at ${at}`);
      }
      assertEquals(await read(...[...bytes].map((byte) => Uint8Array.of(byte))), [...events]);
    });
  }
}

Deno.test("any stream gives the same events however it is split", async () => {
  const line = fc.oneof(
    fc.string({ unit: "grapheme" }).map((text) => `data: ${text.replaceAll(/[\r\n]/g, " ")}`),
    fc.constantFrom("", "", "event: x", ": comment", "id: 1", "retry: 1", "nonsense"),
  );
  const stream = fc.array(fc.tuple(line, fc.constantFrom("\n", "\r\n", "\r")), { maxLength: 20 });
  const splits = fc.array(fc.nat({ max: 12 }), { maxLength: 60 });
  await fc.assert(fc.asyncProperty(stream, splits, async (lines, sizes) => {
    const bytes = encoder.encode(lines.map((pair) => pair.join("")).join(""));
    const pieces: Uint8Array[] = [];
    let from = 0;
    for (const size of sizes) pieces.push(bytes.slice(from, from += size));
    assertEquals(await read(...pieces, bytes.slice(from)), await read(bytes));
  }));
});

Deno.test("events are available as soon as they arrive, and are read on demand", async () => {
  let reads = 0;
  const events = eventData(
    new ReadableStream({
      pull: (controller) => controller.enqueue(encoder.encode(`data: ${++reads}\n\n`)),
    }, { highWaterMark: 0 }),
  );
  assertEquals((await events.next()).value, "1");
  assertEquals(reads, 1);
  assertEquals((await events.next()).value, "2");
  assertEquals(reads, 2);
  await events.return();
});

Deno.test("leaving early cancels the body, also in the middle of a piece", async () => {
  let isCancelled = false;
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(encoder.encode("data: 1\n\ndata: 2\n\n")),
    cancel: () => {
      isCancelled = true;
    },
  });
  for await (const _ of eventData(source)) break;
  assert(isCancelled);
});

Deno.test("a body that breaks is an error after what had come", async () => {
  let isFirst = true;
  const source = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (isFirst) controller.enqueue(encoder.encode("data: 1\n\n"));
      else controller.error(new TypeError("reset"));
      isFirst = false;
    },
  }, { highWaterMark: 0 });
  const seen: string[] = [];
  await assertRejects(
    async () => {
      for await (const data of eventData(source)) seen.push(data);
    },
    TypeError,
    "reset",
  );
  assertEquals(seen, ["1"]);
});
