import { formatCredits, type Micros } from "../domain/ledger/money.ts";

/** Returns a time as ISO 8601 in UTC. */
export function isoTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

/** Returns a time as ISO 8601, or `null` where there is none. */
export function isoTimeOrNull(timeMs: number | undefined): string | null {
  return timeMs === undefined ? null : isoTime(timeMs);
}

/** Returns an amount as a decimal string of credits, or `null` where there is none. */
export function creditsOrNull(amount: Micros | undefined): string | null {
  return amount === undefined ? null : formatCredits(amount);
}
