/**
 * Decisions about money: (state, command) -> entry or refusal. Nothing here does I/O.
 *
 * @module
 */

import type { Micros } from "./money.ts";

/** A prepaid wallet. `credits = available + held + spent`, always. */
export interface Wallet {
  /** Chosen by the operator: also its name. */
  readonly id: string;
  readonly tier: string;
  /** Everything ever paid in. */
  readonly credits: Micros;
  readonly available: Micros;
  /** Sum of open holds. */
  readonly held: Micros;
  readonly spent: Micros;
  /** Usage beyond a hold: counted, never charged. Not part of the sum above. */
  readonly writtenOff: Micros;
  readonly createdAtMs: number;
}

/**
 * What one key has spent, with all that replaced it in rotations: they share one budget. `held` counts
 * against all three windows.
 */
export interface KeySpend {
  /** The key, or the first of its line. */
  readonly keyId: string;
  readonly held: Micros;
  /** UTC day (`2026-11-21`) that `daySpent` belongs to. */
  readonly day: string;
  readonly daySpent: Micros;
  /** UTC month (`2026-11`) that `monthSpent` belongs to. */
  readonly month: string;
  readonly monthSpent: Micros;
  readonly totalSpent: Micros;
}

/** A key's budget in micro-credits; absent windows are unlimited. */
export interface BudgetMicros {
  readonly day?: Micros | undefined;
  readonly month?: Micros | undefined;
  readonly total?: Micros | undefined;
}

/**
 * What a call that is under way has come to so far, of what its caller has had: what it is charged
 * where the gateway dies. Counts are the upstream's own, or a lower bound.
 */
export interface Progress {
  /** Under the price frozen in the hold. */
  readonly cost: Micros;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly atMs: number;
}

/** An open hold. */
export interface Hold {
  /** Chosen before the first try. */
  readonly id: string;
  readonly walletId: string;
  readonly keyId: string;
  /** Whose budget it counts against: the first key of a line of rotated ones. @default {keyId} */
  readonly budgetId?: string | undefined;
  /** Id of the request's log row. */
  readonly logId: string;
  /** Catalog id of the model. */
  readonly model: string;
  readonly priceVersion: number;
  readonly amount: Micros;
  readonly atMs: number;
  /** The last that was made durable; absent before the first. */
  readonly progress?: Progress | undefined;
}

/** A hold that has ended, and how: what a repeated command is answered from. */
export interface EndedHold {
  readonly hold: Hold;
  /** Set where it was settled; a hold without was voided or has expired. */
  readonly settled?: { readonly charged: Micros; readonly writtenOff: Micros } | undefined;
}

/** Reserves credit before the first upstream byte. */
export interface HoldCommand {
  readonly kind: "hold";
  readonly holdId: string;
  readonly walletId: string;
  readonly keyId: string;
  /** Whose budget it counts against: the first key of a line of rotated ones. @default {keyId} */
  readonly budgetId?: string | undefined;
  /** Id of the request's log row. */
  readonly logId: string;
  /** Catalog id of the model. */
  readonly model: string;
  readonly priceVersion: number;
  /** What the request could cost. */
  readonly amount: Micros;
  /** The least that is of use; where `amount` does not fit, what is there is held down to this. */
  readonly minimum: Micros;
  readonly budget: BudgetMicros;
  readonly atMs: number;
}

/** Notes how far a call under way has come. Each tells all of it; what it costs never falls. */
export interface ProgressCommand extends Progress {
  readonly kind: "progress";
  readonly holdId: string;
}

/** Ends a hold with a charge; the rest returns. */
export interface SettleCommand {
  readonly kind: "settle";
  readonly holdId: string;
  /** What the usage costs; beyond the hold it is written off. */
  readonly cost: Micros;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** Tokens were counted here because the upstream reported none. */
  readonly estimated: boolean;
  /** By recovery after a crash, at the hold's last progress. @default {false} */
  readonly recovered?: boolean | undefined;
  readonly atMs: number;
}

/**
 * Ends a hold without a charge. `expire` is `void` by recovery after a crash, of a hold without
 * progress.
 */
export interface ReleaseCommand {
  readonly kind: "void" | "expire";
  readonly holdId: string;
  readonly reason: string;
  readonly atMs: number;
}

/** Opens an empty wallet. */
export interface OpenWalletCommand {
  readonly kind: "open";
  readonly walletId: string;
  readonly tier: string;
  readonly atMs: number;
}

/** Pays credits in. Safe to repeat under the same `opId`. */
export interface CreditCommand {
  readonly kind: "credit";
  readonly opId: string;
  readonly walletId: string;
  readonly amount: Micros;
  readonly note: string;
  readonly atMs: number;
}

/** Any change of the books. */
export type LedgerCommand =
  | OpenWalletCommand
  | CreditCommand
  | HoldCommand
  | ProgressCommand
  | SettleCommand
  | ReleaseCommand;

/** Why a command was refused, in order of precedence. */
export type LedgerRefusal =
  | "wallet_not_found"
  | "wallet_exists"
  | "hold_not_found"
  | "hold_ended"
  | "id_reused"
  | "progress_fell"
  | "credits_overflow"
  | "key_budget_exceeded"
  | "insufficient_balance";

/** One line of the append-only journal. Amounts in micro-credits. */
export type JournalEntry =
  | { readonly op: "open"; wallet: string; tier: string; at: number }
  | { readonly op: "credit"; id: string; wallet: string; amount: Micros; note: string; at: number }
  | {
    readonly op: "hold";
    id: string;
    wallet: string;
    key: string;
    /** Whose budget it counts against, where that is another key's. */
    budget?: string;
    log: string;
    model: string;
    priceVersion: number;
    amount: Micros;
    at: number;
  }
  | {
    /** Moves no money: what the hold is charged where the gateway dies. */
    readonly op: "progress";
    id: string;
    wallet: string;
    key: string;
    log: string;
    cost: Micros;
    inputTokens: number;
    cachedInputTokens: number;
    outputTokens: number;
    at: number;
  }
  | {
    readonly op: "settle";
    id: string;
    wallet: string;
    key: string;
    log: string;
    model: string;
    priceVersion: number;
    /** What was held, charged (at most that), and not charged although used. */
    held: Micros;
    charged: Micros;
    writtenOff: Micros;
    inputTokens: number;
    cachedInputTokens: number;
    outputTokens: number;
    estimated: boolean;
    /** By recovery after a crash: what the hold's last progress came to. */
    recovered?: true;
    at: number;
  }
  | {
    readonly op: "void" | "expire";
    id: string;
    wallet: string;
    key: string;
    log: string;
    held: Micros;
    reason: string;
    at: number;
  };
