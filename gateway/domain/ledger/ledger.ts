/**
 * Types of the ledger: state, commands, refusals and journal entries.
 *
 * @module
 */

import type { CorrectionEntry } from "./correction_types.ts";
import type { Micros } from "./money.ts";

/** A prepaid wallet. `credits = available + held + spent`, always. */
export interface Wallet {
  /** Chosen by the operator; also the name of the wallet. */
  readonly id: string;
  readonly tier: string;
  /** Sum of all credits ever added, less those that operators took out. */
  readonly credits: Micros;
  readonly available: Micros;
  /** Sum of open holds. */
  readonly held: Micros;
  readonly spent: Micros;
  /** Usage beyond a hold: counted, never charged, and not part of the sum above. */
  readonly writtenOff: Micros;
  readonly createdAtMs: number;
  /** Set for a wallet that was closed for good: it is empty, and nothing can be held or paid in. */
  readonly closedAtMs?: number | undefined;
}

/** Sums under one name, in the day and the month of the key's spend. */
export interface NamedSpend {
  readonly held: Micros;
  readonly daySpent: Micros;
  readonly monthSpent: Micros;
  readonly totalSpent: Micros;
}

/**
 * Spend of a key together with all keys that it replaced in rotations: they share one budget.
 * `held` counts against all three windows.
 */
export interface KeySpend extends NamedSpend {
  /** Id of the key, or of the first key of its rotation line. */
  readonly keyId: string;
  /** UTC day (`2026-11-21`) that `daySpent` belongs to. */
  readonly day: string;
  /** UTC month (`2026-11`) that `monthSpent` belongs to. */
  readonly month: string;
  /**
   * Parts of it under the names of budgets, at most {@linkcode NAMES_MAX}; absent while no hold had
   * such a name. A call with two names is in both.
   */
  readonly named?: Readonly<Record<string, NamedSpend>> | undefined;
}

/**
 * Maximum number of names under which the spend of a key is summed: those of the policies of its
 * rotation line.
 */
export const NAMES_MAX = 64;

/** Budget of a key; absent windows are unlimited. */
export interface BudgetMicros {
  readonly day?: Micros | undefined;
  readonly month?: Micros | undefined;
  readonly total?: Micros | undefined;
}

/** Budget of the calls of a key that have a name. */
export interface NamedBudget {
  /** `user:` or `tag:`, and the user or the tag. */
  readonly name: string;
  readonly budget: BudgetMicros;
}

/**
 * Delivered usage of a call in flight. If the gateway dies, the call is charged this. Counts are
 * the upstream's own, or a lower bound.
 */
export interface Progress {
  /** Cost under the price frozen in the hold. */
  readonly cost: Micros;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly atMs: number;
}

/** The names under which a call is summed besides its key and model. */
export interface SummedNames {
  /** The user that the caller named; absent without one. */
  readonly user?: string | undefined;
  /** Tags of the call: each `name=value`, in order of names, with commas between them. */
  readonly tags?: string | undefined;
}

/** An open hold. */
export interface Hold extends SummedNames {
  /** Chosen before the first try, so that a repeat has the same id. */
  readonly id: string;
  readonly walletId: string;
  readonly keyId: string;
  /**
   * Key whose budget the hold counts against: the first key of its rotation line. @default {keyId}
   */
  readonly budgetId?: string | undefined;
  /** Id of the request's log row. */
  readonly logId: string;
  /** Catalog id of the model. */
  readonly model: string;
  readonly priceVersion: number;
  readonly amount: Micros;
  /** Names of the budgets, besides the key's, that it counts against; absent without one. */
  readonly budgets?: readonly string[] | undefined;
  readonly atMs: number;
  /** Last durable checkpoint; absent before the first. */
  readonly progress?: Progress | undefined;
}

/** An ended hold with its outcome, from which repeated commands are answered. */
export interface EndedHold {
  readonly hold: Hold;
  /** Set for a settled hold; absent for a void or expired one. */
  readonly settled?: { readonly charged: Micros; readonly writtenOff: Micros } | undefined;
  /** True when recovery ended it, in place of the gateway that took it. @default {false} */
  readonly recovered?: boolean | undefined;
}

/** Holds credits before the first upstream byte. */
export interface HoldCommand extends SummedNames {
  readonly kind: "hold";
  readonly holdId: string;
  readonly walletId: string;
  readonly keyId: string;
  /**
   * Key whose budget the hold counts against: the first key of its rotation line. @default {keyId}
   */
  readonly budgetId?: string | undefined;
  /** Id of the request's log row. */
  readonly logId: string;
  /** Catalog id of the model. */
  readonly model: string;
  readonly priceVersion: number;
  /** Maximum cost of the request. */
  readonly amount: Micros;
  /**
   * Smallest useful hold: when `amount` does not fit, everything available down to this is held.
   */
  readonly minimum: Micros;
  readonly budget: BudgetMicros;
  /** Further budgets that it counts against, each with another name; absent without one. */
  readonly named?: readonly NamedBudget[] | undefined;
  readonly atMs: number;
}

/** Records a checkpoint of a call in flight. Each checkpoint is complete; its cost never falls. */
export interface ProgressCommand extends Progress {
  readonly kind: "progress";
  readonly holdId: string;
}

/** Ends a hold with a charge; the rest returns. */
export interface SettleCommand {
  readonly kind: "settle";
  readonly holdId: string;
  /** Cost of the usage; the part beyond the hold is written off. */
  readonly cost: Micros;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  /** True when the gateway counted the tokens because the upstream reported none. */
  readonly estimated: boolean;
  /**
   * True for a settlement by recovery after a crash, at the hold's last checkpoint.
   * @default {false}
   */
  readonly recovered?: boolean | undefined;
  readonly atMs: number;
}

/**
 * Ends a hold without a charge. `expire` is `void` by recovery after a crash, for a hold without a
 * checkpoint.
 */
export interface VoidCommand {
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

/** Adds credits to a wallet. Safe to repeat with the same `opId`. */
export interface CreditCommand {
  readonly kind: "credit";
  readonly opId: string;
  readonly walletId: string;
  readonly amount: Micros;
  readonly note: string;
  readonly atMs: number;
}

/** A change of the ledger. */
export type LedgerCommand =
  | OpenWalletCommand
  | CreditCommand
  | HoldCommand
  | ProgressCommand
  | SettleCommand
  | VoidCommand;

/** Reasons for refusing a command, in order of precedence. */
export type LedgerRefusal =
  | "wallet_not_found"
  | "wallet_exists"
  | "wallet_closed"
  | "hold_not_found"
  | "hold_ended"
  | "id_reused"
  | "progress_fell"
  | "credits_overflow"
  | "key_budget_exceeded"
  | "insufficient_balance"
  | "balance_changed"
  | "funds_held"
  | "unchanged"
  | "not_charged"
  | "overtaken";

/** One line of the append-only journal. */
export type JournalEntry =
  | { readonly op: "open"; wallet: string; tier: string; at: number }
  | { readonly op: "credit"; id: string; wallet: string; amount: Micros; note: string; at: number }
  | {
    readonly op: "hold";
    id: string;
    wallet: string;
    key: string;
    /** Key whose budget the hold counts against, when that is another key. */
    budget?: string;
    /** Names of further budgets that it counts against. */
    budgets?: readonly string[];
    log: string;
    /** The names under which the call is summed. */
    user?: string;
    tags?: string;
    model: string;
    priceVersion: number;
    amount: Micros;
    at: number;
  }
  | {
    /** Moves no money: the charge of the hold if the gateway dies. */
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
    user?: string;
    tags?: string;
    model: string;
    priceVersion: number;
    /** Amount held, charged (at most that), and used beyond the hold. */
    held: Micros;
    charged: Micros;
    writtenOff: Micros;
    inputTokens: number;
    cachedInputTokens: number;
    outputTokens: number;
    estimated: boolean;
    /** True for a settlement by recovery after a crash, at the last checkpoint. */
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
  }
  | CorrectionEntry;
