/**
 * What decisions about money read and write, and what must hold of it at any time.
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
  Wallet,
} from "./ledger.ts";
import { type Micros, minMicros } from "./money.ts";

/** Most that may ever be paid into one wallet, in micro-credits: what a signed 64-bit integer holds. */
export const MAX_WALLET_CREDITS_MICROS: Micros = 2n ** 63n - 1n;

/** A credit that was paid in, as a repeated command is compared with it. */
export interface CreditRecord {
  readonly walletId: string;
  readonly amount: Micros;
}

/** The books as decisions read them. */
export interface LedgerView {
  /** The wallet of this id. */
  wallet(id: string): Wallet | undefined;
  /** What the key has spent; absent before its first hold. */
  spend(keyId: string): KeySpend | undefined;
  /** The open hold of this id. */
  hold(id: string): Hold | undefined;
  /** The hold of this id where it has ended and is still remembered. */
  ended(id: string): EndedHold | undefined;
  /** The credit paid in under this operation id. */
  credit(opId: string): CreditRecord | undefined;
}

/** What a command changes: a line for the journal and the new state of what it touched. */
export interface LedgerChange {
  readonly entry: JournalEntry;
  /** Absent where no money moves. */
  readonly wallet?: Wallet | undefined;
  readonly spend?: KeySpend | undefined;
  /** Opened, or still open with more progress. */
  readonly opened?: Hold | undefined;
  readonly ended?: EndedHold | undefined;
}

/** A command's answer. */
export type LedgerDecision<T> =
  | {
    readonly ok: true;
    readonly value: T;
    /** Absent where the command repeats one that was applied before. */
    readonly change?: LedgerChange | undefined;
  }
  | {
    readonly ok: false;
    readonly refusal: LedgerRefusal;
    /** Open holds of the wallet or the key could, on ending, free enough. */
    readonly waitable: boolean;
  };

/** Asserts the books' equation: credits = available + held + spent, and nothing below zero. */
export function assertWallet(wallet: Wallet): void {
  const { credits, available, held, spent, writtenOff } = wallet;
  if (credits !== available + held + spent) {
    throw new InvariantError(`Wallet "${wallet.id}" does not add up`);
  }
  if (available < 0n || held < 0n || spent < 0n || writtenOff < 0n) {
    throw new InvariantError(`Wallet "${wallet.id}" is below zero`);
  }
}

/** Asserts that no amount of a key is below zero and no window exceeds a longer one's. */
export function assertSpend(spend: KeySpend): void {
  const { held, daySpent, monthSpent, totalSpent } = spend;
  if (held < 0n || daySpent < 0n || daySpent > monthSpent || monthSpent > totalSpent) {
    throw new InvariantError(`Spend of key "${spend.keyId}" does not add up`);
  }
}

/** Key under whose id a hold is counted: the first of its line of rotated keys. */
export function budgetOwner(hold: Pick<Hold, "keyId" | "budgetId">): string {
  return hold.budgetId ?? hold.keyId;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

/**
 * A key's spend with its windows at the given time: a day or month that has passed counts from zero.
 * A clock that goes back by up to a day opens no window twice. One that goes back further was wrong
 * before: what was spent under the date it told counts towards the present day and month. So nobody
 * is locked out until a date far ahead, and a wrong clock can give each window away once at most.
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

// The day that was asked for last: nearly every question is about the same one, and the text of a
// day costs more than the rest of a decision. Remembering it leaves the function pure.
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

/** What the tightest window of a budget leaves besides what is spent; `undefined` without a budget. */
export function unspentBudget(spend: KeySpend, budget: BudgetMicros): Micros | undefined {
  const today = unspentOf(undefined, budget.day, spend.daySpent);
  const thisMonth = unspentOf(today, budget.month, spend.monthSpent);
  return unspentOf(thisMonth, budget.total, spend.totalSpent);
}

/** What a window leaves, or a tighter one does. */
function unspentOf(
  tighter: Micros | undefined,
  cap: Micros | undefined,
  spent: Micros,
): Micros | undefined {
  if (cap === undefined) return tighter;
  return tighter === undefined ? cap - spent : minMicros(tighter, cap - spent);
}
