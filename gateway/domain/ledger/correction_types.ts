/**
 * Types of the corrections of wallets by operators: commands and journal entries.
 *
 * @module
 */

import type { Micros } from "./money.ts";

/** Kinds of corrections, as commands and as journal entries. */
export const CORRECTION_KINDS = ["debit", "adjust", "tier", "close", "move", "refund"] as const;

/** Kind of a correction. */
export type CorrectionKind = typeof CORRECTION_KINDS[number];

/** Fields of every correction. Safe to repeat with the same `opId`. */
interface Correcting {
  readonly opId: string;
  readonly walletId: string;
  /** The reason, for people. */
  readonly note: string;
  readonly atMs: number;
}

/** Takes available credits out of a wallet. */
export interface DebitCommand extends Correcting {
  readonly kind: "debit";
  readonly amount: Micros;
}

/** Brings the balance of a wallet, open holds included, to a counted value. */
export interface AdjustCommand extends Correcting {
  readonly kind: "adjust";
  /** The balance on which the count is based: another one refuses. */
  readonly expected: Micros;
  readonly counted: Micros;
}

/** Gives a wallet another tier, for calls that begin later. */
export interface TierCommand extends Correcting {
  readonly kind: "tier";
  readonly tier: string;
}

/** Closes a wallet for good, and takes the rest of its credits out. */
export interface CloseCommand extends Correcting {
  readonly kind: "close";
  /** The rest that is given up: another balance refuses. */
  readonly expected: Micros;
}

/** Lets calls of a key that begin later be paid by `walletId`. Moves no money. */
export interface MoveCommand extends Correcting {
  readonly kind: "move";
  readonly keyId: string;
  /** The wallet that paid until now. */
  readonly from: string;
}

/** Returns a part or all of the charge of one request to the wallet that paid it. */
export interface RefundCommand extends Correcting {
  readonly kind: "refund";
  /** Id of the request's log row. */
  readonly logId: string;
  /** Sum of the request's charges. */
  readonly charged: Micros;
  readonly amount: Micros;
}

/** A correction of a wallet. */
export type CorrectionCommand =
  | DebitCommand
  | AdjustCommand
  | TierCommand
  | CloseCommand
  | MoveCommand
  | RefundCommand;

/** Fields of the entry of every correction. */
export interface Entered {
  readonly id: string;
  readonly wallet: string;
  readonly note: string;
  readonly at: number;
}

/** The journal entry of a correction. */
export type CorrectionEntry =
  | Entered & { readonly op: "debit"; readonly amount: Micros }
  | Entered & { readonly op: "adjust"; readonly expected: Micros; readonly counted: Micros }
  | Entered & { readonly op: "tier"; readonly tier: string; readonly before: string }
  | Entered & { readonly op: "close"; readonly amount: Micros }
  | Entered & { readonly op: "move"; readonly moved: string; readonly from: string }
  | Entered & {
    readonly op: "refund";
    readonly log: string;
    readonly charged: Micros;
    readonly amount: Micros;
  };
