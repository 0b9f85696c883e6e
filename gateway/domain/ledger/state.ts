/**
 * State that ledger decisions read and write, with its invariants.
 *
 * @module
 */

import { InvariantError } from "../invariant.ts";
import type {
  BudgetMicros,
  EndedHold,
  Hold,
  JournalEntry,
  KeySpend,
  LedgerRefusal,
  SummedNames,
  Wallet,
} from "./ledger.ts";
import { type Micros, minMicros } from "./money.ts";

/** Maximum credits ever added to one wallet, in micros: the maximum of a signed 64-bit integer. */
export const MAX_WALLET_CREDITS_MICROS: Micros = 2n ** 63n - 1n;

/** An applied credit or correction, for comparison with a repeated command. */
export interface CreditRecord {
  readonly walletId: string;
  /** Added to the available credits; below zero for some corrections. */
  readonly amount: Micros;
  /** Kind and details of a correction; absent for credits that were paid in. */
  readonly correction?: string | undefined;
}

/** The ledger as decisions read it. */
export interface LedgerView {
  /** Returns the wallet of this id. */
  wallet(id: string): Wallet | undefined;
  /** Returns the spend of a key; `undefined` before its first hold. */
  spend(keyId: string): KeySpend | undefined;
  /** Returns the open hold of this id. */
  hold(id: string): Hold | undefined;
  /** Returns the ended hold of this id, while it is remembered. */
  ended(id: string): EndedHold | undefined;
  /** Returns the credit or correction applied under this operation id. */
  credit(opId: string): CreditRecord | undefined;
}

/** The effect of a command: a journal entry and the new state of what it changed. */
export interface LedgerChange {
  readonly entry: JournalEntry;
  /** Absent when no money moves. */
  readonly wallet?: Wallet | undefined;
  readonly spend?: KeySpend | undefined;
  /** A new hold, or an open one with a later checkpoint. */
  readonly opened?: Hold | undefined;
  readonly ended?: EndedHold | undefined;
}

/** The result of a command. */
export type LedgerDecision<T> =
  | {
    readonly ok: true;
    readonly value: T;
    /** Absent when the command repeats an applied one. */
    readonly change?: LedgerChange | undefined;
  }
  | {
    readonly ok: false;
    readonly refusal: LedgerRefusal;
    /** True when open holds of the wallet or the key could free enough by ending. */
    readonly waitable: boolean;
  };

/**
 * Asserts the equation of a wallet: credits = available + held + spent, and no amount below zero.
 */
export function assertWallet(wallet: Wallet): void {
  const { credits, available, held, spent, writtenOff } = wallet;
  if (credits !== available + held + spent) {
    throw new InvariantError(`Wallet "${wallet.id}" does not add up`);
  }
  if (available < 0n || held < 0n || spent < 0n || writtenOff < 0n) {
    throw new InvariantError(`Wallet "${wallet.id}" is below zero`);
  }
}

/** Asserts that no amount of a key is below zero and that no window exceeds a longer one. */
export function assertSpend(spend: KeySpend): void {
  const { held, daySpent, monthSpent, totalSpent } = spend;
  if (held < 0n || daySpent < 0n || daySpent > monthSpent || monthSpent > totalSpent) {
    throw new InvariantError(`Spend of key "${spend.keyId}" does not add up`);
  }
}

/** Returns the key whose budget a hold counts against: the first of its rotation line. */
export function budgetOwner(hold: Pick<Hold, "keyId" | "budgetId">): string {
  return hold.budgetId ?? hold.keyId;
}

/** Returns the names under which a call is summed; those that it lacks are absent. */
export function summedNames(
  { user, tags }: SummedNames,
): { user?: string; tags?: string } | undefined {
  if (user === undefined && tags === undefined) return undefined;
  return { ...user !== undefined && { user }, ...tags !== undefined && { tags } };
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * Returns a key's spend with its windows at the given time: a past day or month counts from zero. A
 * clock that goes back by up to a day opens no window twice. After a larger step back the earlier
 * clock was wrong: spend recorded under its date counts towards the present day and month. This
 * locks no key out until a far date, and a wrong clock reopens each window at most once.
 */
export function spendAt(
  spend: KeySpend | undefined,
  now: { keyId: string; atMs: number },
): KeySpend {
  const day = dayOf(now.atMs);
  const month = day.slice(0, 7);
  if (spend === undefined) {
    const keyId = now.keyId;
    return { keyId, held: 0n, day, daySpent: 0n, month, monthSpent: 0n, totalSpent: 0n };
  }
  if (spend.day >= day) {
    const ahead = spend.day > day && spend.day > dayOf(now.atMs + DAY_MS);
    return ahead ? { ...spend, day, month } : spend;
  }
  return {
    ...spend,
    day,
    daySpent: 0n,
    month,
    monthSpent: spend.month >= month ? spend.monthSpent : 0n,
  };
}

// Cache of the last day: nearly every call is about the same one, and formatting a date costs more
// than the rest of a decision. The function stays pure.
let lastDay = NaN;
let lastDayText = "";

function dayOf(atMs: number): string {
  const day = Math.floor(atMs / DAY_MS);
  if (day !== lastDay) {
    lastDayText = new Date(atMs).toISOString().slice(0, 10);
    lastDay = day;
  }
  return lastDayText;
}

/** Returns the amount that the tightest window of a budget leaves; `undefined` without a budget. */
export function unspentBudget(spend: KeySpend, budget: BudgetMicros): Micros | undefined {
  const today = unspentOf(undefined, budget.day, spend.daySpent);
  const thisMonth = unspentOf(today, budget.month, spend.monthSpent);
  return unspentOf(thisMonth, budget.total, spend.totalSpent);
}

/** Returns what each window of a budget leaves for further calls, beyond those in flight. */
export function remainingBudget(spend: KeySpend, budget: BudgetMicros): BudgetMicros {
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
