import type { Wallet } from "./ledger.ts";

/** A wallet that has less than one part in so many of what was ever paid in is low. */
export const LOW_PART = 20n;

/** Whether a wallet should be paid into: 5 % or less is left of what was paid in. One never paid into is not. */
export function isLow({ credits, available, held }: Wallet): boolean {
  return credits > 0n && (available + held) * LOW_PART <= credits;
}
