import type { Micros } from "../domain/ledger/money.ts";
import type { LedgerDecision } from "../domain/ledger/state.ts";
import type { Applied } from "../ports/ledger_store.ts";

/** The answer to a hold. */
export type HoldAnswer = Applied<{ held: Micros }>;
/** The refusal of a hold. */
export type HoldRefusal = Extract<HoldAnswer, { ok: false }>;

/** Returns the answer of a decision about a hold. */
export function holdAnswer(decision: LedgerDecision<{ held: Micros }>): HoldAnswer {
  return decision.ok ? { ok: true, value: decision.value } : holdRefusal(decision);
}

/** Returns the refusal of a decision, with the first budget that is too small. */
export function holdRefusal(
  { refusal, short = [] }: Extract<LedgerDecision<unknown>, { ok: false }>,
): HoldRefusal {
  const [budget] = short;
  return budget === undefined ? { ok: false, refusal } : { ok: false, refusal, budget };
}
