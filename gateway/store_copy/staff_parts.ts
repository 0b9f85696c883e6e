import type { Correction } from "../domain/ledger/waiting_correction.ts";
import type { Operator } from "../domain/operators/operator.ts";
import type { StoredTrailEntry } from "../domain/operators/trail.ts";
import type { PartKind } from "./part.ts";

/** Entries of the audit log that are read at once. */
const PAGE = 200;

/** Operators with names, with the digests of their tokens. */
export const operators: PartKind<Operator> = {
  name: "operators",
  async *each({ operatorStore }) {
    yield* await operatorStore.all();
  },
  async put({ copying }, items) {
    for (const operator of items) await copying.putOperator(operator);
  },
};

/** Corrections of wallets that wait or have ended; the journal has those that were applied. */
export const corrections: PartKind<Correction> = {
  name: "corrections",
  async *each({ corrections }) {
    yield* await corrections.all();
  },
  async put({ copying }, items) {
    for (const correction of items) await copying.putCorrection(correction);
  },
};

/** The audit log: a copy has the same chain of hashes. */
export const trail: PartKind<StoredTrailEntry> = {
  name: "audit log",
  async *each({ trailStore }) {
    const { place: last } = await trailStore.head();
    for (let from = 1; from <= last;) {
      const entries = await trailStore.read(from, PAGE);
      if (entries.length === 0) return;
      yield* entries;
      from += entries.length;
    }
  },
  put: ({ copying }, entries) => copying.appendTrail(entries),
  stored: async ({ trailStore }) => (await trailStore.head()).place,
  sizeOf: ({ line }) => line.length,
};
