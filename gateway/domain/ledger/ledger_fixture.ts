/**
 * A ledger in memory that runs commands by the decisions, and short forms of commands, for tests.
 *
 * @module
 */

import type {
  EndedHold,
  Hold,
  HoldCommand,
  JournalEntry,
  KeySpend,
  LedgerCommand,
  ProgressCommand,
  SettleCommand,
  Wallet,
} from "./ledger.ts";
import { operationOf } from "./correction.ts";
import {
  decideCredit,
  decideHold,
  decideOpen,
  decideProgress,
  decideSettle,
  decideVoid,
} from "./decide.ts";
import type { CreditRecord, LedgerChange, LedgerDecision, LedgerView } from "./state.ts";

/** Time of the commands. */
export const NOON = Date.UTC(2026, 10, 21, 12);
/** A day, in milliseconds. */
export const DAY = 24 * 60 * 60 * 1_000;

/** A ledger in memory. */
export class Books implements LedgerView {
  readonly wallets = new Map<string, Wallet>();
  readonly spends = new Map<string, KeySpend>();
  readonly holds = new Map<string, Hold>();
  readonly endings = new Map<string, EndedHold>();
  readonly credits = new Map<string, CreditRecord>();
  readonly journal: JournalEntry[] = [];
  wallet = (id: string) => this.wallets.get(id);
  spend = (id: string) => this.spends.get(id);
  hold = (id: string) => this.holds.get(id);
  ended = (id: string) => this.endings.get(id);
  credit = (id: string) => this.credits.get(id);

  /** Runs a command, and applies its change. */
  run(command: LedgerCommand): LedgerDecision<unknown> {
    const decision = this.#decide(command);
    if (decision.ok && decision.change !== undefined) this.apply(decision.change);
    return decision;
  }

  /** Applies a change. */
  apply({ entry, wallet, spend, opened, ended }: LedgerChange): void {
    this.journal.push(entry);
    if (wallet !== undefined) this.wallets.set(wallet.id, wallet);
    if (spend !== undefined) this.spends.set(spend.keyId, spend);
    if (opened !== undefined) this.holds.set(opened.id, opened);
    if (ended !== undefined) {
      this.holds.delete(ended.hold.id);
      this.endings.set(ended.hold.id, ended);
    }
    const operation = operationOf(entry);
    if (operation !== undefined && "id" in entry) this.credits.set(entry.id, operation);
  }

  /** Everything but the journal. */
  get state() {
    const { wallets, spends, holds, endings, credits } = this;
    return { wallets, spends, holds, endings, credits };
  }

  #decide(command: LedgerCommand): LedgerDecision<unknown> {
    switch (command.kind) {
      case "open":
        return decideOpen(this, command);
      case "credit":
        return decideCredit(this, command);
      case "hold":
        return decideHold(this, command);
      case "progress":
        return decideProgress(this, command);
      case "settle":
        return decideSettle(this, command);
      default:
        return decideVoid(this, command);
    }
  }
}

/** Opens a wallet. */
export function open(walletId: string, atMs = NOON): LedgerCommand {
  return { kind: "open", walletId, tier: "standard", atMs };
}

/** Pays into a wallet. */
export function credit(opId: string, amount: bigint, walletId = "w"): LedgerCommand {
  return { kind: "credit", opId, walletId, amount, note: "", atMs: NOON };
}

/** A hold, all or nothing unless told otherwise. */
export function hold(holdId: string, amount: bigint, rest: Partial<HoldCommand> = {}): HoldCommand {
  return {
    kind: "hold",
    holdId,
    walletId: "w",
    keyId: "k",
    logId: "l",
    model: "m",
    priceVersion: 1,
    amount,
    minimum: amount,
    budget: {},
    atMs: NOON,
    ...rest,
  };
}

/** A settlement. */
export function settle(holdId: string, cost: bigint, atMs = NOON): SettleCommand {
  const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: 2 };
  return { kind: "settle", holdId, cost, ...tokens, estimated: false, atMs };
}

/** A checkpoint. */
export function progress(holdId: string, cost: bigint): ProgressCommand {
  const tokens = { inputTokens: 1, cachedInputTokens: 0, outputTokens: Number(cost) };
  return { kind: "progress", holdId, cost, ...tokens, atMs: NOON };
}

/** Ends a hold without a charge. */
export function release(holdId: string, kind: "void" | "expire" = "void"): LedgerCommand {
  return { kind, holdId, reason: "test", atMs: NOON };
}

/** Returns a ledger whose wallet `w` has credits. */
export function funded(amount: bigint): Books {
  const books = new Books();
  books.run(open("w"));
  if (amount > 0n) books.run(credit("c", amount));
  return books;
}
