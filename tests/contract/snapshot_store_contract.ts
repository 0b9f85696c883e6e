import { assertEquals } from "@std/assert";
import { Additions } from "../../gateway/domain/learning/additions.ts";
import { forget } from "../../gateway/domain/learning/forget.ts";
import {
  EMPTY_SNAPSHOT,
  nextSnapshot,
  type RoutingSnapshot,
} from "../../gateway/domain/learning/snapshot.ts";
import { OUTCOME_SOURCES } from "../../gateway/domain/learning/statistics.ts";
import type { SnapshotStore } from "../../gateway/ports/snapshot_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** Returns the snapshot after another, with requests of so many tasks of some wallets. */
export function snapshotAfter(
  previous: RoutingSnapshot,
  { wallets, tasks = 1 }: { readonly wallets: readonly string[]; readonly tasks?: number },
): RoutingSnapshot {
  const additions = new Additions();
  const atMs = previous.number + 1;
  for (const walletId of wallets) {
    for (let task = 0; task < tasks; task++) {
      const outcome = { source: "feedback", score: 0.5, weight: 1, load: 1.25 } as const;
      additions.noteOutcome({ walletId, task: `${task}`, model: "svc/a.1", atMs, ...outcome });
      const sample = { task: `${task}`, load: 1, price: 2, options: [["svc/a.1", 1]] as const };
      additions.noteServed({
        ...{ walletId, task: `${task}`, model: "svc/a.1", atMs, charged: 0.25 },
        ...{ bestFactor: 1, cheapestFactor: 1, sample },
      });
    }
    const answers = [{ model: "svc/a.1", group: 0, cost: 1, judged: true }];
    additions.noteAudit(walletId, { task: "0", load: 1, answers }, atMs);
  }
  const context = { nowMs: atMs, qualityOf: () => 0.5, sources: OUTCOME_SOURCES };
  return nextSnapshot(previous, additions.byWallet(), context);
}

/** Stores snapshots that follow each other and change a wallet each; returns them. */
export async function storeSnapshots(
  store: SnapshotStore,
  wallets: readonly string[],
): Promise<RoutingSnapshot[]> {
  const stored: RoutingSnapshot[] = [];
  for (const wallet of wallets) {
    const next = snapshotAfter(stored.at(-1) ?? EMPTY_SNAPSHOT, { wallets: [wallet] });
    assertEquals(await store.put(next, [wallet]), true);
    stored.push(next);
  }
  return stored;
}

const CLAUSES: Clauses<SnapshotStore> = {
  "an empty store has no snapshot": async (store) => {
    assertEquals([await store.latest(), await store.get(1)], [undefined, undefined]);
    assertEquals([await store.list(5), await store.frozen()], [[], undefined]);
  },

  "a snapshot is read as it was stored, also after later ones": async (store) => {
    const [first, second, third] = await storeSnapshots(store, ["w", "other/..", "w"]);
    assertEquals(await store.get(1), first);
    assertEquals(await store.get(2), second);
    assertEquals(await store.latest(), third);
    assertEquals(await store.list(2), [{ number: 3, takenAtMs: 3 }, { number: 2, takenAtMs: 2 }]);
  },

  "a wallet that a snapshot no longer has is in no later one": async (store) => {
    const [, second] = await storeSnapshots(store, ["w", "other"]);
    if (second === undefined) throw new Error("Not stored");
    const context = { nowMs: 3, qualityOf: () => 0.5, sources: OUTCOME_SOURCES };
    const { snapshot, wallets } = forget(second, { walletId: "w" }, context);
    assertEquals(await store.put(snapshot, wallets), true);
    const fourth = snapshotAfter(snapshot, { wallets: ["other"] });
    assertEquals(await store.put(fourth, ["other"]), true);
    const walletsAt = async (number: number) =>
      [...(await store.get(number))?.wallets.keys() ?? []].join(", ");
    assertEquals(await walletsAt(2), "w, other");
    assertEquals([await walletsAt(3), await walletsAt(4)], ["other", "other"]);
  },

  "a number is taken once": async (store) => {
    const [first] = await storeSnapshots(store, ["w"]);
    const rival = snapshotAfter(EMPTY_SNAPSHOT, { wallets: ["rival"] });
    assertEquals(await store.put(rival, ["rival"]), false);
    assertEquals(await store.latest(), first);
  },

  "of two of one number that are stored at once, one is": async (store) => {
    const rivals = ["a", "b"].map((wallet) => snapshotAfter(EMPTY_SNAPSHOT, { wallets: [wallet] }));
    const stored = await Promise.all(
      rivals.map((snapshot) => store.put(snapshot, [...snapshot.wallets.keys()])),
    );
    assertEquals(stored.toSorted(), [false, true]);
    assertEquals(await store.latest(), rivals[stored.indexOf(true)]);
  },

  "a snapshot of many tasks is stored whole": async (store) => {
    const large = snapshotAfter(EMPTY_SNAPSHOT, { wallets: ["w", "x"], tasks: 1_000 });
    assertEquals(await store.put(large, ["w", "x"]), true);
    assertEquals(await store.latest(), large);
  },

  "sweeping deletes all but the newest": async (store) => {
    const stored = await storeSnapshots(store, ["w", "x", "w", "w"]);
    await store.sweep(2);
    assertEquals((await store.list(9)).map(({ number }) => number), [4, 3]);
    assertEquals([await store.get(1), await store.get(2)], [undefined, undefined]);
    // Both rest on the wallet "x" as the second snapshot wrote it.
    assertEquals([await store.get(3), await store.get(4)], stored.slice(2));
  },

  "the frozen snapshot stays until it is released": async (store) => {
    const [first] = await storeSnapshots(store, ["w", "w", "w"]);
    await store.freeze(1);
    await store.sweep(1);
    assertEquals([await store.frozen(), await store.get(1)], [1, first]);
    assertEquals((await store.list(9)).map(({ number }) => number), [3, 1]);
    await store.freeze(undefined);
    await store.sweep(1);
    assertEquals([await store.frozen(), await store.get(1)], [undefined, undefined]);
  },
};

/** Runs the contract of a `SnapshotStore`. */
export function snapshotStoreContract(name: string, open: Open<SnapshotStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
