/**
 * Budgets of a policy: the key's own, and those of its users and tags.
 *
 * @module
 */

import { parseCredits } from "../ledger/money.ts";
import { type Attribution, summedUser, valueOf } from "../requests/attribution.ts";

/** Maximum spend of a key, in credits as decimal strings. Days and months are UTC. */
export interface KeyBudget {
  readonly day?: string | undefined;
  readonly month?: string | undefined;
  readonly total?: string | undefined;
}

/** Maximum spend of a key for the calls of a user, or with a tag: exactly one of them is set. */
export interface NamedKeyBudget extends KeyBudget {
  readonly user?: string | undefined;
  /** `name=value`. */
  readonly tag?: string | undefined;
}

/** Maximum number of budgets of users and tags in a policy. */
export const NAMED_BUDGETS_MAX = 16;

/** Windows of a budget. */
export const BUDGET_WINDOWS = ["day", "month", "total"] as const;

/** The part of a policy about budgets and the names that calls must have. */
export interface BudgetPolicy {
  readonly budget?: KeyBudget | undefined;
  /** Budgets of users and tags, at most {@linkcode NAMED_BUDGETS_MAX}. */
  readonly budgets?: readonly NamedKeyBudget[] | undefined;
  /** Names of tags that each call must have. */
  readonly requiredTags?: readonly string[] | undefined;
  /** True when each call must name a user. @default {false} */
  readonly requiredUser?: boolean | undefined;
}

/** Returns the name under which the ledger sums the calls of a budget. */
export function budgetName({ user, tag }: NamedKeyBudget): string {
  return user === undefined ? `tag:${tag}` : `user:${user}`;
}

/** Returns the names under which a call with an attribution could have budgets. */
export function namesOf(attribution: Attribution = {}): readonly string[] {
  const user = summedUser(attribution);
  const tags = attribution.tags?.split(",").map((tag) => budgetName({ tag })) ?? [];
  return user === undefined ? tags : [budgetName({ user }), ...tags];
}

/** Returns the budgets that a call with an attribution counts against. */
export function budgetsOfCall(
  budgets: readonly NamedKeyBudget[],
  attribution: Attribution,
): readonly NamedKeyBudget[] {
  const names = namesOf(attribution);
  return budgets.filter((budget) => names.includes(budgetName(budget)));
}

/** A refusal of a call that lacks a name. */
export interface MissingName {
  readonly message: string;
  readonly param: "X-Tag" | "user";
}

/** Returns the name that a policy demands and a call lacks; `undefined` when it has all of them. */
export function missingName(
  { requiredTags, requiredUser }: BudgetPolicy,
  attribution: Attribution | undefined,
): MissingName | undefined {
  if (requiredTags !== undefined) {
    const tag = requiredTags.find((name) => valueOf(attribution?.tags, name) === undefined);
    if (tag !== undefined) {
      const message = `The key's policy demands the tag "${tag}": send X-Tag: ${tag}=…`;
      return { message, param: "X-Tag" };
    }
  }
  if (requiredUser !== true) return undefined;
  if (attribution !== undefined && summedUser(attribution) !== undefined) return undefined;
  const message = "The key's policy demands a user: send user or safety_identifier";
  return { message, param: "user" };
}

/** Returns the paths at which a policy leaves more to spend, or demands fewer names, than another. */
export function widenedBudgets(candidate: BudgetPolicy, original: BudgetPolicy): string[] {
  const paths = widenedWindows(candidate.budget, original.budget).map((at) => `budget.${at}`);
  const kept = candidate.budgets ?? [];
  for (const budget of original.budgets ?? []) {
    const at = kept.findIndex((other) => budgetName(other) === budgetName(budget));
    if (at < 0) paths.push("budgets");
    else paths.push(...widenedWindows(kept[at], budget).map((to) => `budgets.${at}.${to}`));
  }
  const { requiredTags = [] } = candidate;
  if (original.requiredTags?.every((name) => requiredTags.includes(name)) === false) {
    paths.push("requiredTags");
  }
  if (original.requiredUser === true && candidate.requiredUser !== true) paths.push("requiredUser");
  return [...new Set(paths)];
}

function widenedWindows(candidate: KeyBudget = {}, original: KeyBudget = {}) {
  return BUDGET_WINDOWS.filter((window) => raises(candidate[window], original[window]));
}

/** True when a cap in credits exceeds another. A malformed cap limits nothing, so it widens. */
export function raises(candidate: string | undefined, original: string | undefined): boolean {
  const limit = original === undefined ? undefined : parseCredits(original);
  if (limit === undefined) return false;
  const cap = candidate === undefined ? undefined : parseCredits(candidate);
  return cap === undefined || cap > limit;
}
