import type { KeySpend } from "../../../domain/ledger/ledger.ts";

/** Size of the sums of one name in a row, without the name, in bytes. */
const SUMS_BYTES = 100;

/**
 * Returns a bound of the size that the names of budgets add to the row of a key's spend, in bytes: 40
 * KB at most. A name has up to two bytes for each of its UTF-16 code units.
 */
export function namedBytes(spend: KeySpend | undefined): number {
  if (spend?.named === undefined) return 0;
  let bytes = 0;
  for (const name in spend.named) bytes += 2 * name.length + SUMS_BYTES;
  return bytes;
}
