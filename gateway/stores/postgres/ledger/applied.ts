import type { LedgerDecision } from "../../../domain/ledger/state.ts";
import type { Applied } from "../../../ports/ledger_store.ts";
import type { BatchView } from "./batch_view.ts";
import { serve } from "./line.ts";

/** Applies a decision, and serves the holds that wait for the credits it frees. */
export function applied<T>(
  view: BatchView,
  decision: LedgerDecision<T>,
  frees?: string,
): Applied<T> {
  if (!decision.ok) return { ok: false, refusal: decision.refusal };
  if (decision.change !== undefined) {
    view.apply(decision.change);
    if (frees !== undefined) serve(view, frees);
  }
  return { ok: true, value: decision.value };
}
