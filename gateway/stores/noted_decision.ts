import type { LedgerDecision } from "../domain/ledger/state.ts";
import type { Noted, TrailDraft } from "../domain/operators/trail.ts";

/**
 * Returns the entry of a decision, for the commit that stores it; `undefined` where it changes
 * nothing. Call it before the decision is applied: it may throw.
 */
export function draftOf<T>(
  decision: LedgerDecision<T>,
  { entry, before }: Noted<T> & { readonly before?: T | undefined },
): TrailDraft | undefined {
  if (!decision.ok || decision.change === undefined) return undefined;
  return entry?.({ before, after: decision.value });
}
