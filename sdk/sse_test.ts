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
