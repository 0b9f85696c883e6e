import { assertEquals } from "@std/assert";
import { Additions } from "../../../domain/learning/additions.ts";
import { EMPTY_SNAPSHOT, type RoutingSnapshot } from "../../../domain/learning/snapshot.ts";
import { addOutcomes, snapshotOf } from "../../../domain/learning/statistics_fixture_test.ts";
import type { Writer } from "../journal/writer.ts";
import { KvSnapshotStore } from "./snapshots.ts";

/** A writer that ends before some write, as a kill does. */
function writerOf(kv: Deno.Kv, writesLeft: number): Writer {
  let remaining = writesLeft;
  const write = async (changes: Parameters<Writer["write"]>[0]) => {
    if (remaining-- <= 0) throw new Error("killed");
    for (const { key, value } of changes) {
      await (value === undefined ? kv.delete(key) : kv.set(key, value));
    }
  };
  return { write } as unknown as Writer;
}

function snapshotWith(tasks: number, previous: RoutingSnapshot = EMPTY_SNAPSHOT): RoutingSnapshot {
  const additions = new Additions();
  for (let at = 0; at < tasks; at++) {
    addOutcomes(additions, { model: "a", count: 1, score: 0.5, task: `task-${at}` });
  }
  return snapshotOf(additions, previous);
}

const never = Infinity;

Deno.test("a kill at any write of a snapshot leaves the one before, and its number free", async () => {
  const first = snapshotWith(3);
  const large = snapshotWith(1_000, first);
  const small = snapshotWith(4, first);
  let writes = 0;
  for (let isStored = false; !isStored; writes++) {
    using kv = await Deno.openKv(":memory:");
    assertEquals(await new KvSnapshotStore(kv, writerOf(kv, never)).put(first, ["w"]), true);
    isStored = await new KvSnapshotStore(kv, writerOf(kv, writes)).put(large, ["w"])
      .catch(() => false);
    const restarted = new KvSnapshotStore(kv, writerOf(kv, never));
    assertEquals(await restarted.latest(), isStored ? large : first);
    assertEquals(await restarted.put(small, ["w"]), !isStored);
    // Chunks of the longer text that was cut short are not read.
    assertEquals(await restarted.latest(), isStored ? large : small);
    assertEquals(await restarted.get(1), first);
  }
  assertEquals(writes > 5, true);
});

Deno.test("a store goes on after a failed write with the wallets that were stored", async () => {
  using kv = await Deno.openKv(":memory:");
  const first = snapshotWith(3);
  // The first snapshot takes four writes, the next fails at once.
  let isBroken = false;
  const whole = writerOf(kv, never);
  const write: Writer["write"] = (changes) =>
    isBroken ? Promise.reject(new Error("no disk")) : whole.write(changes);
  const store = new KvSnapshotStore(kv, { write } as unknown as Writer);
  await store.put(first, ["w"]);
  isBroken = true;
  await store.put(snapshotWith(4, first), ["w"]).catch(() => {});
  isBroken = false;
  const next = snapshotWith(5, first);
  assertEquals([await store.put(next, ["w"]), await store.latest()], [true, next]);
});

Deno.test("a kill while a snapshot is swept leaves the others whole", async () => {
  const stored: RoutingSnapshot[] = [];
  let previous = EMPTY_SNAPSHOT;
  for (let at = 0; at < 3; at++) stored.push(previous = snapshotWith(300, previous));
  let isDone = false;
  for (let writes = 0; !isDone; writes++) {
    using kv = await Deno.openKv(":memory:");
    const store = new KvSnapshotStore(kv, writerOf(kv, never));
    for (const snapshot of stored) await store.put(snapshot, ["w"]);
    isDone = await new KvSnapshotStore(kv, writerOf(kv, writes)).sweep(1)
      .then(() => true, () => false);
    assertEquals(await store.latest(), stored.at(-1));
    await store.sweep(1);
    assertEquals(await store.list(9), [{ number: 3, takenAtMs: 1 }]);
  }
});
