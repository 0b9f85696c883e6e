import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import { UpstreamCut } from "../../ports/upstream.ts";
import { systemClock } from "../../system/clock.ts";
import { Exchange } from "./exchange.ts";
import { Reachability } from "./reachability.ts";
import { SseEvents } from "./sse_events.ts";

const TIMEOUTS = { connectMs: 60_000, firstByteMs: 60_000, idleMs: 60_000 };

/** The events of a body whose reads bring these pieces. */
async function eventsOf(pieces: readonly Uint8Array[]): Promise<string[]> {
  const remaining = pieces.values();
  const source: UnderlyingByteSource = {
    type: "bytes",
    pull(controller) {
      const { done, value } = remaining.next();
      if (!done) return controller.enqueue(value.slice());
      controller.close();
      // A pending read learns of the end only from its response.
      controller.byobRequest?.respond(0);
    },
  };
  const exchange = new Exchange(new AbortController().signal, {
    fetch,
    timeouts: TIMEOUTS,
    clock: systemClock,
    host: new Reachability(new URL("http://127.0.0.1/"), { dial: undefined, clock: systemClock }),
  });
  const events: string[] = [];
  for await (const batch of SseEvents.ofBody(new ReadableStream(source), exchange)) {
    events.push(...batch);
  }
  return events;
}

Deno.test("events are the same wherever reads cut them, within a character too", async () => {
  const texts = ['{"a":"plain"}', '{"b":"é, 网关 and 🜁"}', '{"c":"plain again"}'];
  const bytes = new TextEncoder().encode(
    [...texts, "[DONE]"].map((text) => `data: ${text}\n\n`).join(""),
  );
  const cuts = fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }));
  await fc.assert(fc.asyncProperty(cuts, async (cuts) => {
    const ends = [...cuts.toSorted((a, b) => a - b), bytes.length];
    const pieces = ends.map((end, at) => bytes.subarray(ends[at - 1] ?? 0, end));
    assertEquals(await eventsOf(pieces), texts);
  }));
});

Deno.test("a truncated character is not UTF-8, for any following bytes", async () => {
  const encoder = new TextEncoder();
  const half = encoder.encode('data: {"a":"é').subarray(0, -1);
  const error = await assertRejects(
    () => eventsOf([half, encoder.encode('"}\n\ndata: [DONE]\n\n')]),
    UpstreamCut,
    "The stream is no UTF-8",
  );
  assertEquals(error.outcome, "malformed");
});

Deno.test("an event of more levels than any answer is malformed before anybody parses it", async () => {
  const encoder = new TextEncoder();
  const deep = `data: {"a":${"[".repeat(10_000)}${"]".repeat(10_000)}}\n\n`;
  const error = await assertRejects(
    () => eventsOf([encoder.encode('data: {"b":1}\n\n'), encoder.encode(deep)]),
    UpstreamCut,
    "nested too deeply",
  );
  assertEquals(error.outcome, "malformed");
  // Brackets in a text are no levels.
  const long = `{"a":"${"[".repeat(20_000)}"}`;
  assertEquals(await eventsOf([encoder.encode(`data: ${long}\n\ndata: [DONE]\n\n`)]), [long]);
});
