import type { BudgetMicros, NamedBudget } from "../../domain/ledger/ledger.ts";
import { type Micros, parseCredits } from "../../domain/ledger/money.ts";
import { budgetName, budgetsOfCall, type KeyBudget } from "../../domain/policy/key_budget.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import type { Attribution } from "../../domain/requests/attribution.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { microsOf } from "../request/billing.ts";

/** Returns the budget of a key policy in micros. */
export function budgetOf(policy: KeyPolicy): BudgetMicros {
  return microsOfBudget(policy.budget);
}

/**
 * Returns the budgets of the names of a call, in micros; `undefined` where the policy has none for
 * them.
 */
export function namedBudgetsOf(
  { budgets }: KeyPolicy,
  attribution: Attribution | undefined,
): readonly NamedBudget[] | undefined {
  if (budgets === undefined || attribution === undefined) return undefined;
  const named = budgetsOfCall(budgets, attribution)
    .map((entry) => ({ name: budgetName(entry), budget: microsOfBudget(entry) }));
  return named.length === 0 ? undefined : named;
}

/** Returns a budget in micros. */
export function microsOfBudget({ day, month, total }: KeyBudget = {}): BudgetMicros {
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
