import type { AnswerOf } from "../../admin_api/operations.ts";
import { remainingBudget } from "../../domain/ledger/budgets.ts";
import type { KeySpend, NamedSpend } from "../../domain/ledger/ledger.ts";
import { formatCredits } from "../../domain/ledger/money.ts";
import { namedSpend } from "../../domain/ledger/state.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { budgetName, type KeyBudget } from "../../domain/policy/key_budget.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { microsOfBudget } from "../../flows/plan/spending_cap.ts";
import { creditsOrNull, isoTime, isoTimeOrNull } from "../json_values.ts";

/** Returns a key without its secret. */
export function keyJson(record: KeyRecord): AnswerOf<"POST /keys/{id}/disable"> {
  return {
    id: record.id,
    name: record.name,
    wallet: record.walletId,
    status: record.status,
    policy: record.policy,
    hint: record.hint,
    createdAt: isoTime(record.createdAtMs),
    lastUsedAt: isoTimeOrNull(record.lastUsedAtMs),
    rotatedFrom: record.rotatedFrom ?? null,
    logContent: record.logContent === true,
  };
}

/** Returns what a key has spent. */
export function spendJson(
  { held, daySpent, monthSpent, totalSpent }: NamedSpend,
): AnswerOf<"GET /keys/{id}">["spend"] {
  return {
    held: formatCredits(held),
    day: formatCredits(daySpent),
    month: formatCredits(monthSpent),
    total: formatCredits(totalSpent),
  };
}

/** Returns what a budget leaves. */
export function remainingJson(spend: NamedSpend, budget: KeyBudget | undefined) {
  const { day, month, total } = remainingBudget(spend, microsOfBudget(budget));
  return { day: creditsOrNull(day), month: creditsOrNull(month), total: creditsOrNull(total) };
}

/** Returns what the budgets of users and tags have spent, and leave. */
export function budgetsJson(
  { budgets = [] }: KeyPolicy,
  spend: KeySpend,
): AnswerOf<"GET /keys/{id}">["budgets"] {
  return budgets.map((budget) => {
    const part = namedSpend(spend, budgetName(budget));
    const { user = null, tag = null } = budget;
    return { user, tag, spend: spendJson(part), remaining: remainingJson(part, budget) };
  });
}
