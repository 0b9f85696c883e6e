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

/** Rows of the store, by the first part of their keys. */
async function rowsOf(kv: Deno.Kv): Promise<Record<string, number>> {
  const names: string[] = [];
  for await (const { key } of kv.list({ prefix: [] })) names.push(String(key[0]));
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, own]) => [
    name,
    own.length,
  ]));
}

Deno.test("a kill at any write leaves no chunks behind that no snapshot has", async () => {
  const first = snapshotWith(3);
  const large = snapshotWith(1_000, first);
  const empty = { ...first, number: 2, wallets: new Map() };
  for (let writes = 0, isDone = false; !isDone; writes++) {
    using kv = await Deno.openKv(":memory:");
    await new KvSnapshotStore(kv, writerOf(kv, never)).put(first, ["w"]);
    const killed = new KvSnapshotStore(kv, writerOf(kv, writes));
    isDone = await killed.put(large, ["w"]).then(() => killed.sweep(1)).then(
      () => true,
      () => false,
    );
    const restarted = new KvSnapshotStore(kv, writerOf(kv, never));
    const newest = await restarted.latest();
    const next = newest?.number === 1 ? empty : { ...empty, number: 3 };
    await restarted.put(next, ["w"]);
    await restarted.sweep(1);
    assertEquals(await rowsOf(kv), { routing_chunk: 1, routing_snapshot: 1 });
  }
});

Deno.test("sweeping keeps the newest snapshots that fit in the space for them", async () => {
  using kv = await Deno.openKv(":memory:");
  const store = new KvSnapshotStore(kv, writerOf(kv, never), { maxBytes: 100_000 });
  let previous = EMPTY_SNAPSHOT;
  const kept: number[] = [];
  for (let at = 0; at < 9; at++) {
    previous = snapshotWith(300, previous);
    await store.put(previous, ["w"]);
    if (at === 0) await store.freeze(1);
    await store.sweep(60);
    kept.push((await store.list(60)).length);
  }
  const { routing_wallet: versions = 0 } = await rowsOf(kv);
  const numbers = (await store.list(60)).map(({ number }) => number);
  assertEquals([numbers[0], numbers.at(-1), versions], [9, 1, numbers.length]);
  assertEquals(numbers.length > 2 && numbers.length < 9, true, `${numbers}`);
  assertEquals(Math.max(...kept), numbers.length);
  assertEquals(await store.latest(), previous);
});

Deno.test("the newest snapshot and the one before stay, however large they are", async () => {
  using kv = await Deno.openKv(":memory:");
  const store = new KvSnapshotStore(kv, writerOf(kv, never), { maxBytes: 1 });
  let previous = EMPTY_SNAPSHOT;
  for (let at = 0; at < 4; at++) {
    await store.put(previous = snapshotWith(300, previous), ["w"]);
    await store.sweep(60);
  }
  assertEquals((await store.list(60)).map(({ number }) => number), [4, 3]);
});
