/**
 * Waiting corrections as both stores write them.
 *
 * @module
 */

import type { Correction } from "../domain/ledger/waiting_correction.ts";

/** Encodes a correction; amounts become decimal text in an object. */
export function encodeCorrection(correction: Correction): string {
  return JSON.stringify(
    correction,
    (_, part) => typeof part === "bigint" ? { micros: `${part}` } : part,
  );
}

/** Decodes a text of {@linkcode encodeCorrection}. */
export function decodeCorrection(text: string): Correction {
  return JSON.parse(text, (_, part) => {
    const isAmount = typeof part === "object" && part !== null && typeof part.micros === "string";
    return isAmount ? BigInt(part.micros) : part;
  });
}

/** Returns corrections with the newest first. */
export function newestFirst(corrections: readonly Correction[]): readonly Correction[] {
  return corrections.toSorted((one, other) =>
    other.atMs - one.atMs || (one.id < other.id ? 1 : -1)
  );
}
