import type { RoutingSnapshot } from "../domain/learning/snapshot.ts";
import type { Noted } from "../domain/operators/trail.ts";

/** A snapshot in the list of snapshots. */
export interface SnapshotEntry {
  readonly number: number;
  /** Unix time in milliseconds. */
  readonly takenAtMs: number;
}

/** Options of a snapshot that is stored. */
export interface SnapshotOptions extends Noted<RoutingSnapshot> {
  /** Ids of additions of several instances that it includes from now on. @default {none} */
  readonly additions?: readonly string[] | undefined;
}

/** A store of routing snapshots. A snapshot never changes once it is stored. */
export interface SnapshotStore {
  /**
   * Returns the newest snapshot; `undefined` before the first. Wallets that have not changed since
   * `known` may be taken from it.
   */
  latest(known?: RoutingSnapshot): Promise<RoutingSnapshot | undefined>;
  /** Returns a snapshot by its number; `undefined` if it is no longer stored. */
  get(number: number): Promise<RoutingSnapshot | undefined>;
  /**
   * Stores the next snapshot; resolves once it is durable. Returns false, and stores nothing, if a
   * snapshot of that number exists: another instance took it first. `changed` names the wallets that
   * differ from the snapshot before, those that it no longer has included. The entry
   * of the audit log is for a snapshot that an operator asks for.
   */
  put(
    snapshot: RoutingSnapshot,
    changed: readonly string[],
    options?: SnapshotOptions,
  ): Promise<boolean>;
  /** Returns the stored snapshots, newest first. */
  list(limit: number): Promise<readonly SnapshotEntry[]>;
  /** Returns the number of the frozen snapshot; `undefined` when routing follows the newest. */
  frozen(): Promise<number | undefined>;
  /** Freezes routing at a stored snapshot, which is then never removed; `undefined` ends that. */
  freeze(number: number | undefined, options?: Noted<number>): Promise<void>;
  /**
   * Calls `changed` within a second after another instance has stored a snapshot or frozen one, and
   * again if it fails. Absent where no other instance can.
   */
  watch?(changed: () => Promise<void>): void;
  /** Deletes all but the newest snapshots, the frozen one, and what they rest on. */
  sweep(newest: number): Promise<void>;
}
