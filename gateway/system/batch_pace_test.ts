import { assertEquals } from "@std/assert";
import { BatchPace } from "./batch_pace.ts";

const FULL = 8 * 1024;

/** True when a promise is settled without waiting for a timer. */
async function isSettled(promise: Promise<void>): Promise<boolean> {
  let settled = false;
  promise.then(() => settled = true);
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  return settled;
}

Deno.test("data after a silence is due at once, data during a pause when it is over", async () => {
  const pace = new BatchPace();
  const first = pace.due();
  assertEquals(await isSettled(first), false);
  pace.added(1);
  await first;
  pace.taken();
  pace.pause();
  pace.added(1);
  const second = pace.due();
  assertEquals(await isSettled(second), false);
  await second;
  pace.end();
});

Deno.test("a full batch ends the pause, and is full until it is taken", async () => {
  const pace = new BatchPace();
  pace.pause();
  pace.added(FULL - 1);
  assertEquals(pace.isFull, false);
  pace.added(1);
  assertEquals(pace.isFull, true);
  assertEquals(await isSettled(pace.due()), true);
  pace.taken();
  assertEquals(pace.isFull, false);
  pace.end();
});

Deno.test("no pause begins while more than a batch waits", async () => {
  const pace = new BatchPace();
  pace.added(3 * FULL);
  pace.taken(FULL);
  pace.pause();
  assertEquals(await isSettled(pace.due()), true);
  pace.taken();
  assertEquals(await isSettled(pace.due()), false);
  pace.end();
});

Deno.test("the end of the data ends the pause, and none begins after it", async () => {
  const pace = new BatchPace();
  pace.pause();
  const due = pace.due();
  pace.end();
  await due;
  assertEquals(pace.hasEnded, true);
  pace.pause();
  await pace.due();
});
