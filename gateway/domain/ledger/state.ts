/**
 * State that ledger decisions read and write, with its invariants.
 *
 * @module
 */

import { InvariantError } from "../invariant.ts";
import type {
  EndedHold,
  Hold,
  JournalEntry,
  KeySpend,
  LedgerRefusal,
  NamedSpend,
  SummedNames,
  Wallet,
} from "./ledger.ts";
import type { Micros } from "./money.ts";

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
    /** Names of the budgets that are too small now; absent where the key's own is. */
    readonly short?: readonly string[] | undefined;
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

/**
 * Asserts that no amount of a key is below zero, that no window exceeds a longer one, and that no
 * name has more than the key.
 */
export function assertSpend(spend: KeySpend): void {
  if (!addsUp(spend)) throw new InvariantError(`Spend of key "${spend.keyId}" does not add up`);
  const { named } = spend;
  if (named === undefined) return;
  for (const name in named) {
    const part = namedSpend(spend, name);
    if (addsUp(part) && isWithin(part, spend)) continue;
    throw new InvariantError(`Spend of key "${spend.keyId}" under "${name}" does not add up`);
  }
}

function addsUp({ held, daySpent, monthSpent, totalSpent }: NamedSpend): boolean {
  return held >= 0n && daySpent >= 0n && daySpent <= monthSpent && monthSpent <= totalSpent;
}

function isWithin(part: NamedSpend, whole: NamedSpend): boolean {
  return part.held <= whole.held && part.daySpent <= whole.daySpent &&
    part.monthSpent <= whole.monthSpent && part.totalSpent <= whole.totalSpent;
}

const NOTHING: NamedSpend = { held: 0n, daySpent: 0n, monthSpent: 0n, totalSpent: 0n };

/** Returns the part of a key's spend under a name. */
export function namedSpend({ named }: KeySpend, name: string): NamedSpend {
  return named?.[name] ?? NOTHING;
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
  const isSameMonth = spend.month >= month;
  const monthSpent = isSameMonth ? spend.monthSpent : 0n;
  const opened = { ...spend, day, daySpent: 0n, month, monthSpent };
  if (spend.named === undefined) return opened;
  return withNames(opened, Object.keys(spend.named), (part) => ({
    ...part,
    daySpent: 0n,
    monthSpent: isSameMonth ? part.monthSpent : 0n,
  }));
}

/** Returns a key's spend with a hold that was taken. */
export function spendWithHold(spend: KeySpend, { amount, budgets }: Hold): KeySpend {
  const after = { ...spend, held: spend.held + amount };
  if (budgets === undefined) return after;
  return withNames(after, budgets, (part) => ({ ...part, held: part.held + amount }));
}

/** Returns a key's spend with a hold that has ended. */
export function spendAfterHold(
  spend: KeySpend,
  { amount, budgets }: Hold,
  { charged }: { readonly charged: Micros },
): KeySpend {
  const after = ended(spend, amount, charged);
  if (budgets === undefined) return after;
  return withNames(after, budgets, (part) => ended(part, amount, charged));
}

function ended<Sums extends NamedSpend>(sums: Sums, amount: Micros, charged: Micros): Sums {
  return {
    ...sums,
    held: sums.held - amount,
    daySpent: sums.daySpent + charged,
    monthSpent: sums.monthSpent + charged,
    totalSpent: sums.totalSpent + charged,
  };
}

function withNames(
  spend: KeySpend,
  names: readonly string[],
  change: (part: NamedSpend) => NamedSpend,
): KeySpend {
  const named = { ...spend.named };
  for (const name of names) named[name] = change(named[name] ?? NOTHING);
  return { ...spend, named };
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
