/**
 * Decides corrections of wallets by operators, and applies their journal entries.
 *
 * @module
 */

import { invariant } from "../invariant.ts";
import {
  CORRECTION_KINDS,
  type CorrectionCommand,
  type CorrectionEntry,
  type Entered,
} from "./correction_types.ts";
import type { CreditRecord, LedgerDecision, LedgerView } from "./state.ts";
import { assertWallet, MAX_WALLET_CREDITS_MICROS } from "./state.ts";
import type { JournalEntry, LedgerRefusal, Wallet } from "./ledger.ts";
import type { Micros } from "./money.ts";

/** Returns the only operation id under which a request is refunded: so it is refunded once. */
export function refundId(logId: string): string {
  return `${REFUND_IDS}${logId}`;
}

/** Beginning of the operation ids of refunds, which nothing else may use. */
export const REFUND_IDS = "refund:";

/** True for the entry of a correction. */
export function isCorrection(entry: JournalEntry): entry is CorrectionEntry {
  return CORRECTION_KINDS.some((kind) => kind === entry.op);
}

/** Applies a correction. A repeat returns the wallet in its present state. */
export function decideCorrection(
  view: LedgerView,
  command: CorrectionCommand,
): LedgerDecision<Wallet> {
  const { opId, walletId } = command;
  const before = view.wallet(walletId);
  if (before === undefined) return refused("wallet_not_found");
  const entry = entryOfCorrection(command, before);
  const earlier = view.credit(opId);
  if (earlier !== undefined) {
    return isSameRecord(earlier, recordOf(entry))
      ? { ok: true, value: before }
      : refused("id_reused");
  }
  const refusal = correctionRefusal(before, entry);
  if (refusal !== undefined) return refused(refusal);
  assertWallet(before);
  const wallet = correctedWallet(before, entry);
  assertWallet(wallet);
  return { ok: true, value: wallet, change: { entry, wallet } };
}

/** Returns why a wallet cannot take a correction; `undefined` where it can. */
export function correctionRefusal(
  { available, held, credits, spent, tier, closedAtMs }: Wallet,
  entry: CorrectionEntry,
): LedgerRefusal | undefined {
  if (closedAtMs !== undefined) return "wallet_closed";
  switch (entry.op) {
    case "debit":
      return entry.amount > available ? "insufficient_balance" : undefined;
    case "adjust":
      if (available + held !== entry.expected) return "balance_changed";
      if (entry.counted < held) return "funds_held";
      if (entry.counted === entry.expected) return "unchanged";
      return credits + entry.counted - entry.expected > MAX_WALLET_CREDITS_MICROS
        ? "credits_overflow"
        : undefined;
    case "tier":
      return entry.tier === tier ? "unchanged" : undefined;
    case "close":
      if (held > 0n) return "funds_held";
      return available === entry.amount ? undefined : "balance_changed";
    case "move":
      return entry.from === entry.wallet ? "unchanged" : undefined;
    case "refund":
      return entry.amount > spent ? "not_charged" : undefined;
  }
}

/** Returns a wallet after a correction that it can take. */
export function correctedWallet(wallet: Wallet, entry: CorrectionEntry): Wallet {
  const { available, credits, spent } = wallet;
  const change = correctionChange(entry);
  switch (entry.op) {
    case "debit":
    case "adjust":
      return { ...wallet, credits: credits + change, available: available + change };
    case "close":
      return {
        ...{ ...wallet, credits: credits + change, available: available + change },
        closedAtMs: entry.at,
      };
    case "tier":
      return { ...wallet, tier: entry.tier };
    case "move":
      return wallet;
    case "refund":
      return { ...wallet, spent: spent - change, available: available + change };
  }
}

/** Returns the amount that a correction adds to the available credits. */
export function correctionChange(entry: CorrectionEntry): Micros {
  switch (entry.op) {
    case "debit":
    case "close":
      return -entry.amount;
    case "adjust":
      return entry.counted - entry.expected;
    case "refund":
      return entry.amount;
    default:
      return 0n;
  }
}

/**
 * Returns what is remembered of an entry under its operation id; `undefined` for one that is not an
 * operator's.
 */
export function operationOf(entry: JournalEntry): CreditRecord | undefined {
  if (entry.op === "credit") return { walletId: entry.wallet, amount: entry.amount };
  return isCorrection(entry) ? recordOf(entry) : undefined;
}

/** True when two operations under one id are one operation, asked for twice. */
export function isSameRecord(one: CreditRecord, other: CreditRecord): boolean {
  return one.walletId === other.walletId && one.amount === other.amount &&
    one.correction === other.correction;
}

/** Returns why the amounts of an entry make no sense; `undefined` where they do. */
export function correctionFault(entry: CorrectionEntry): string | undefined {
  const isWrong = entry.op === "debit"
    ? entry.amount <= 0n
    : entry.op === "close"
    ? entry.amount < 0n
    : entry.op === "adjust"
    ? entry.counted < 0n || entry.expected < 0n
    : entry.op === "refund"
    ? entry.amount <= 0n || entry.amount > entry.charged || entry.id !== refundId(entry.log)
    : false;
  return isWrong ? `Correction "${entry.id}" has amounts that it cannot have` : undefined;
}

function recordOf(entry: CorrectionEntry): CreditRecord {
  const details = entry.op === "tier"
    ? entry.tier
    : entry.op === "move"
    ? entry.moved
    : entry.op === "adjust"
    ? `${entry.expected}`
    : "";
  const amount = correctionChange(entry);
  return { walletId: entry.wallet, amount, correction: `${entry.op} ${details}`.trim() };
}

function entryOfCorrection(command: CorrectionCommand, wallet: Wallet): CorrectionEntry {
  const { opId: id, walletId, note, atMs: at } = command;
  const entered = { id, wallet: walletId, note, at };
  const entry = withoutCommon(command, wallet, entered);
  const fault = correctionFault(entry);
  invariant(fault === undefined, fault ?? "");
  return entry;
}

function withoutCommon(
  command: CorrectionCommand,
  { tier: before }: Wallet,
  { id, wallet, note, at }: Entered,
): CorrectionEntry {
  switch (command.kind) {
    case "debit":
      return { op: "debit", id, wallet, amount: command.amount, note, at };
    case "adjust": {
      const { expected, counted } = command;
      return { op: "adjust", id, wallet, expected, counted, note, at };
    }
    case "tier":
      return { op: "tier", id, wallet, tier: command.tier, before, note, at };
    case "close":
      return { op: "close", id, wallet, amount: command.expected, note, at };
    case "move": {
      const { keyId: moved, from } = command;
      return { op: "move", id, wallet, moved, from, note, at };
    }
    case "refund": {
      const { logId: log, charged, amount } = command;
      return { op: "refund", id, wallet, log, charged, amount, note, at };
    }
  }
}

function refused(refusal: LedgerRefusal): LedgerDecision<never> {
  return { ok: false, refusal, waitable: false };
}
