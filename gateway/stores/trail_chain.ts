/**
 * The chain of the audit log, as both stores write it.
 *
 * @module
 */

import {
  type StoredTrailEntry,
  type TrailDraft,
  type TrailEntry,
  type TrailHead,
  withoutSecretTexts,
} from "../domain/operators/trail.ts";
import { StoreError } from "../ports/store_error.ts";
import { chainHash } from "../system/chain_hash.ts";

/** Entries of the log that one search reads at most. */
export const TRAIL_SEARCH_MAX = 5_000;

/**
 * Returns an entry at the end of a chain, as it is and as it is stored, and the new end. Its subject
 * and remark lose their secrets here, for every author of an entry.
 */
export function linked(
  { place: last, hash: before }: TrailHead,
  draft: TrailDraft,
): { readonly entry: TrailEntry; readonly stored: StoredTrailEntry; readonly head: TrailHead } {
  const entry = { place: last + 1, ...withoutSecretTexts(draft) };
  const line = JSON.stringify(entry).toWellFormed();
  const stored = { line, hash: chainHash(before, line) };
  return { entry, stored, head: { place: entry.place, hash: stored.hash } };
}

/**
 * Returns the end of a chain after stored entries.
 *
 * @throws {StoreError} When they do not follow the end before.
 */
export function endAfter(before: TrailHead, entries: readonly StoredTrailEntry[]): TrailHead {
  return entries.reduce(({ place: last, hash: lastHash }, { line, hash }) => {
    const { place } = entryOf({ line });
    if (place === last + 1 && chainHash(lastHash, line) === hash) return { place, hash };
    const message = `Cannot copy the audit log: entry ${place} does not follow entry ${last}`;
    throw new StoreError(message, { isDamage: true });
  }, before);
}

/** Decodes a stored entry. */
export function entryOf({ line }: Pick<StoredTrailEntry, "line">): TrailEntry {
  return JSON.parse(line) as TrailEntry;
}
