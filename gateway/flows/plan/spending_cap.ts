import type { BudgetMicros } from "../../domain/ledger/ledger.ts";
import { type Micros, parseCredits } from "../../domain/ledger/money.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { microsOf } from "../request/billing.ts";

/** Returns the budget of a key policy in micros. */
export function budgetOf(policy: KeyPolicy): BudgetMicros {
  const { day, month, total } = policy.budget ?? {};
  return {
    day: day === undefined ? undefined : parseCredits(day),
    month: month === undefined ? undefined : parseCredits(month),
    total: total === undefined ? undefined : parseCredits(total),
  };
}

/** Returns what the rest of a request or part may cost; `undefined` if there is no cap. */
export function remainingCap({ allowance, key, bill }: ActiveRequest): Micros | undefined {
  const { maxChargePerRequest } = key.policy;
  if (allowance === undefined && maxChargePerRequest === undefined) return undefined;
  // A cap that cannot be read allows nothing.
  const cap = allowance ?? parseCredits(maxChargePerRequest ?? "") ?? 0n;
  const spent = bill.settled === undefined ? 0n : microsOf(bill.settled);
  return cap > spent ? cap - spent : 0n;
}
