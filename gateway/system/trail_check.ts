import { EMPTY_TRAIL, type TrailHead } from "../domain/operators/trail.ts";
import type { TrailStore } from "../ports/trail_store.ts";
import { chainHash } from "./chain_hash.ts";

/** Entries that are read at once. */
const BATCH = 200;

/** Result of a verification of the audit log. */
export interface TrailVerification {
  /** One sentence about the first entry that does not fit; `undefined` when all do. */
  readonly problem: string | undefined;
  readonly head: { readonly entries: number; readonly head: string };
}

/** Recomputes the chain of the audit log up to its present end. */
export async function brokenPlace(
  trail: Pick<TrailStore, "head" | "read">,
): Promise<TrailVerification> {
  const end = await trail.head();
  const head = { entries: end.place, head: end.hash };
  let last: TrailHead = EMPTY_TRAIL;
  while (last.place < end.place) {
    const entries = await trail.read(last.place + 1, BATCH);
    if (entries.length === 0) {
      return { problem: `Entry ${last.place + 1} and those after it are missing`, head };
    }
    for (const { line, hash } of entries) {
      const place = last.place + 1;
      if (placeOf(line) !== place) return { problem: `Entry ${place} is missing`, head };
      if (chainHash(last.hash, line) !== hash) {
        return { problem: `Entry ${place} was changed after it was written`, head };
      }
      last = { place, hash };
      if (place === end.place) break;
    }
  }
  const fits = last.hash === end.hash;
  return { problem: fits ? undefined : "The end of the log is not its last entry", head };
}

function placeOf(line: string): unknown {
  return (JSON.parse(line) as { readonly place?: unknown }).place;
}
