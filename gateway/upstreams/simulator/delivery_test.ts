import { assertEquals, assertRejects } from "@std/assert";
import { UpstreamCut } from "../../ports/upstream.ts";
import { ask, complete, failed, send, simulatorForTest, stream } from "./chat_fixture.ts";
import type { CallOptions } from "./chat_fixture.ts";
import type { Simulate } from "./misbehaviour.ts";

function askWith(simulate: Simulate) {
  return ask("Hi", { simulate: { text: "one two three", ...simulate } });
}

/** Returns the number of chunks before the cut, and the cut. */
async function cutOf(simulate: Simulate, options: CallOptions = {}) {
  let chunks = 0;
  const cut = await assertRejects(async () => {
    for await (const _ of stream(askWith(simulate), options)) chunks++;
  }, UpstreamCut);
  return { chunks, outcome: cut.outcome };
}

Deno.test("a stream breaks off after so many chunks", async () => {
  assertEquals(await cutOf({ cutAfter: 2 }), { chunks: 2, outcome: "cut" });
  assertEquals(await cutOf({ malformedAfter: 3 }), { chunks: 3, outcome: "malformed" });
  assertEquals(await cutOf({ stallAfter: 1 }), { chunks: 1, outcome: "timeout" });
});

Deno.test("a stream can break off after its last chunk, before its clean end", async () => {
  assertEquals(await cutOf({ cutAfter: 6 }), { chunks: 6, outcome: "cut" });
  assertEquals(await cutOf({ stallAfter: 6 }), { chunks: 6, outcome: "timeout" });
  assertEquals((await Array.fromAsync(stream(askWith({ cutAfter: 7 })))).length, 6);
});

Deno.test("a delivery that breaks off before the first chunk is a failure", async () => {
  const outcome = async (simulate: Simulate) =>
    (await failed(askWith(simulate), { stream: true })).outcome;
  assertEquals(await outcome({ cutAfter: 0 }), "connect_failed");
  assertEquals(await outcome({ malformedAfter: 0 }), "malformed");
  assertEquals(await outcome({ stallAfter: 0 }), "timeout");
});

Deno.test("a JSON answer that breaks off does not arrive", async () => {
  const outcome = async (simulate: Simulate) => (await failed(askWith(simulate))).outcome;
  assertEquals(await outcome({ cutAfter: 2 }), "malformed");
  assertEquals(await outcome({ malformedAfter: 0 }), "malformed");
  assertEquals(await outcome({ stallAfter: 3 }), "timeout");
});

Deno.test("delays up to the timeouts are delays, longer ones time out", async () => {
  await complete(askWith({ delayMs: 1 }));
  assertEquals((await Array.fromAsync(stream(askWith({ delayMs: 1, chunkDelayMs: 1 })))).length, 6);
  assertEquals((await failed(askWith({ delayMs: 600_000 }))).outcome, "timeout");
  assertEquals(await cutOf({ chunkDelayMs: 600_000 }), { chunks: 1, outcome: "timeout" });
  assertEquals((await failed(askWith({ delayMs: 1, error: 503 }))).status, 503);
});

Deno.test("a call that is cancelled before or while it waits fails as cancelled", async () => {
  assertEquals((await failed(askWith({}), { signal: AbortSignal.abort() })).outcome, "cancelled");
  for (const simulate of [{ delayMs: 15 }, { stallAfter: 0 }]) {
    const leaving = new AbortController();
    const failing = failed(askWith(simulate), { signal: leaving.signal });
    leaving.abort();
    assertEquals((await failing).outcome, "cancelled");
  }
});

Deno.test("a stream that is cancelled ends with a cut, never cleanly", async () => {
  for (const simulate of [{}, { chunkDelayMs: 15 }, { stallAfter: 1 }]) {
    const leaving = new AbortController();
    const answer = await send(askWith(simulate), { stream: true, signal: leaving.signal });
    if (answer.kind !== "stream") throw new Error("Expected a stream");
    const events = answer.events[Symbol.asyncIterator]();
    await events.next();
    const next = events.next();
    leaving.abort();
    // The chunk that was already on its way may still arrive.
    await assertRejects(() => next.then(() => events.next()), UpstreamCut);
  }
});

Deno.test("a stream that is cancelled between two reads waits for nothing more", async () => {
  const leaving = new AbortController();
  const options = { stream: true, signal: leaving.signal };
  const answer = await send(askWith({ chunkDelayMs: 15 }), options);
  if (answer.kind !== "stream") throw new Error("Expected a stream");
  const events = answer.events[Symbol.asyncIterator]();
  await events.next();
  leaving.abort();
  await assertRejects(() => events.next(), UpstreamCut, "cancelled");
});

Deno.test("leaving a stream early stops it, in the middle of a wait too", async () => {
  let chunks = 0;
  for await (const _ of stream(askWith({ chunkDelayMs: 1 }))) if (++chunks === 2) break;
  assertEquals(chunks, 2);

  const answer = await send(askWith({ stallAfter: 1 }), { stream: true });
  if (answer.kind !== "stream") throw new Error("Expected a stream");
  const events = answer.events[Symbol.asyncIterator]();
  await events.next();
  const stalled = assertRejects(() => events.next(), UpstreamCut);
  assertEquals(await events.return?.(), { done: true, value: undefined });
  await stalled;
  assertEquals(await events.next(), { done: true, value: undefined });
});

Deno.test("a long stream leaves the loop to others", async () => {
  let turns = 0;
  let running = true;
  const other = () => {
    turns++;
    if (running) setTimeout(other);
  };
  const timer = setTimeout(other);
  let chunks = 0;
  for await (const _ of stream(ask("Hi", { simulate: { repeat: 20_000 } }))) chunks++;
  running = false;
  clearTimeout(timer);
  await new Promise((resolve) => setTimeout(resolve, 5));
  assertEquals(chunks, 20_003);
  assertEquals(turns > 1, true);
});

Deno.test("the simulator lists its models and closes", async () => {
  const simulator = simulatorForTest();
  assertEquals(simulator.id, "sim");
  const models = await simulator.models(new AbortController().signal);
  const plain = ["sim-small", "sim-vision", "sim-large"];
  assertEquals(models, [...plain, "sim-signed", "sim-thought", "sim-image", "sim-embed"]);
  simulator.close();
});
