/**
 * Budgets of a key and of names: the rest that they leave.
 *
 * @module
 */

import type { BudgetMicros, HoldCommand, KeySpend, NamedSpend } from "./ledger.ts";
import { type Micros, minMicros } from "./money.ts";
import { budgetOwner, namedSpend } from "./state.ts";

/** Returns the amount that the tightest window of a budget leaves; `undefined` without a budget. */
export function unspentBudget(spend: NamedSpend, budget: BudgetMicros): Micros | undefined {
  const today = unspentOf(undefined, budget.day, spend.daySpent);
  const thisMonth = unspentOf(today, budget.month, spend.monthSpent);
  return unspentOf(thisMonth, budget.total, spend.totalSpent);
}

/** Returns what each window of a budget leaves for further calls, beyond those in flight. */
export function remainingBudget(spend: NamedSpend, budget: BudgetMicros): BudgetMicros {
  const remainderOf = (cap: Micros | undefined, spent: Micros): Micros | undefined => {
    if (cap === undefined) return undefined;
    const rest = cap - spent - spend.held;
    return rest > 0n ? rest : 0n;
  };
  return {
    day: remainderOf(budget.day, spend.daySpent),
    month: remainderOf(budget.month, spend.monthSpent),
    total: remainderOf(budget.total, spend.totalSpent),
  };
}

/** Returns the smaller of a window's remainder and a tighter window's. */
function unspentOf(
  tighter: Micros | undefined,
  cap: Micros | undefined,
  spent: Micros,
): Micros | undefined {
  if (cap === undefined) return tighter;
  return tighter === undefined ? cap - spent : minMicros(tighter, cap - spent);
}

/** The budgets that a call counts against: the key's, and those of its names. */
export type CallBudgets = Pick<HoldCommand, "budget" | "named">;

/** The least that the budgets of a call leave. */
export interface LeastBudget {
  /** Rest once all open holds have ended without a charge. */
  readonly unspent: Micros;
  /** Rest beside the open holds. */
  readonly free: Micros;
  /** Name of the budget with the least rest once holds have ended; absent for the key's own. */
  readonly name?: string | undefined;
}

/** Returns the least that the budgets of a call leave; `undefined` where none has a window. */
export function leastBudget(spend: KeySpend, budgets: CallBudgets): LeastBudget | undefined {
  let least: LeastBudget | undefined;
  for (const { name, unspent, free } of restsOf(spend, budgets)) {
    least = least === undefined ? { name, unspent, free } : {
      name: unspent < least.unspent ? name : least.name,
      unspent: minMicros(unspent, least.unspent),
      free: minMicros(free, least.free),
    };
  }
  return least;
}

/**
 * Returns the names of the budgets that leave less than a minimum now; `undefined` where the key's
 * own does.
 */
export function shortBudgets(
  spend: KeySpend,
  { minimum, ...budgets }: CallBudgets & { readonly minimum: Micros },
): readonly string[] | undefined {
  const short: string[] = [];
  for (const { name, free } of restsOf(spend, budgets)) {
    if (free >= minimum) continue;
    if (name === undefined) return undefined;
    short.push(name);
  }
  return short;
}

function* restsOf(spend: KeySpend, { budget, named = [] }: CallBudgets): Generator<LeastBudget> {
  const own = unspentBudget(spend, budget);
  if (own !== undefined) yield { unspent: own, free: own - spend.held };
  for (const { name, budget } of named) {
    const part = namedSpend(spend, name);
    const unspent = unspentBudget(part, budget);
    if (unspent !== undefined) yield { name, unspent, free: unspent - part.held };
  }
}

/** Budgets that holds ahead in a line wait for: no hold behind them may pass on such a budget. */
export class ShortBudgets {
  readonly #short = new Set<string>();

  /** True when a hold counts against one of them. */
  has(command: HoldCommand): boolean {
    const owner = budgetOwner(command);
    return this.#short.has(owner) ||
      command.named?.some(({ name }) => this.#short.has(nameOf(owner, name))) === true;
  }

  /** Adds the budgets that are too small for a hold: the key's own where `names` is absent. */
  add(command: HoldCommand, names: readonly string[] | undefined): void {
    const owner = budgetOwner(command);
    if (names === undefined) this.#short.add(owner);
    else for (const name of names) this.#short.add(nameOf(owner, name));
  }
}

function nameOf(owner: string, name: string): string {
  return JSON.stringify([owner, name]);
}

/** Returns a budget by its name, for a sentence: `the key's budget`, with the user or the tag. */
export function budgetText(name: string | undefined): string {
  if (name === undefined) return "The key's budget";
  const at = name.indexOf(":");
  return `The key's budget of ${name.slice(0, at)} ${JSON.stringify(name.slice(at + 1))}`;
}
