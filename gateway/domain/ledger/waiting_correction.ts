/**
 * Corrections that wait for a second person, and who may end them.
 *
 * @module
 */

import { type Actor, type ActorKind, EMERGENCY, identityOf } from "../operators/operator.ts";
import type { CorrectionCommand } from "./correction_types.ts";
import type { Wallet } from "./ledger.ts";
import type { Micros } from "./money.ts";

/** Time in which a correction can be approved: 7 days. */
export const CORRECTION_LIFE_MS = 7 * 24 * 60 * 60 * 1_000;
/** Maximum number of corrections that wait at the same time. */
export const WAITING_MAX = 200;
/** Number of ended corrections that stay listed; the audit log has all of them. */
export const ENDED_KEPT = 300;

/** Somebody who asked for a correction, or ended it. */
export interface Person {
  readonly kind: ActorKind;
  readonly id: string;
  readonly name: string;
  /** As of {@linkcode Actor}. */
  readonly person?: string | undefined;
  /** As of {@linkcode Actor}. */
  readonly makers?: readonly string[] | undefined;
}

/** A correction above the limit: it is applied once another person has approved it. */
export interface Correction {
  /** Id of the operation in the ledger. */
  readonly id: string;
  readonly command: CorrectionCommand;
  /** Credits at stake, by which it needs an approval. */
  readonly stake: Micros;
  readonly state: "waiting" | "approved" | "refused";
  readonly by: Person;
  readonly atMs: number;
  readonly expiresAtMs: number;
  readonly endedBy?: Person | undefined;
  readonly endedAtMs?: number | undefined;
  /** Why it was refused. */
  readonly remark?: string | undefined;
  /** Counts its changes from 1. */
  readonly version: number;
}

/** State as people see it. */
export type ShownState = Correction["state"] | "expired";

/** Returns the state at a time. */
export function stateAt({ state, expiresAtMs }: Correction, nowMs: number): ShownState {
  return state === "waiting" && nowMs >= expiresAtMs ? "expired" : state;
}

/**
 * True when a correction may be asked for again under its id. The id of a refund is fixed by its call:
 * one that was refused, or that expired, must not stand in the way of another.
 */
export function mayAskAgain(correction: Correction, nowMs: number): boolean {
  const state = stateAt(correction, nowMs);
  return correction.command.kind === "refund" && (state === "refused" || state === "expired");
}

/**
 * Returns why somebody may not approve a correction; `undefined` where they may. One human with two
 * names is one person; and of two of which one made the other's record or token, either could be the
 * other. The admin token as a maker does not count: it makes the first operators.
 */
export function endingRefusal(
  correction: Correction,
  { actor, nowMs }: {
    readonly actor: Pick<Actor, "id" | "person" | "makers">;
    readonly nowMs: number;
  },
): "own" | "made" | "ended" | undefined {
  if (stateAt(correction, nowMs) !== "waiting") return "ended";
  const [asker, approver] = [identityOf(correction.by), identityOf(actor)];
  if (asker === approver) return "own";
  const isMade = isMaker(asker, actor) || isMaker(approver, correction.by);
  return isMade ? "made" : undefined;
}

function isMaker(id: string, { makers = [] }: Pick<Actor, "makers">): boolean {
  return id !== EMERGENCY.id && makers.includes(id);
}

/** Returns an actor as records name them. */
export function personOf({ kind, id, name, person, makers }: Actor): Person {
  return {
    ...{ kind, id, name },
    ...person === undefined ? {} : { person },
    ...makers === undefined ? {} : { makers },
  };
}

/** Returns the credits that a correction is about; of one that moves none, the wallet's balance. */
export function stakeOf(
  command: CorrectionCommand,
  { available, held }: Pick<Wallet, "available" | "held">,
): Micros {
  switch (command.kind) {
    case "debit":
    case "refund":
      return command.amount;
    case "close":
      return command.expected;
    case "adjust": {
      const change = command.counted - command.expected;
      return change < 0n ? -change : change;
    }
    case "tier":
    case "move":
      return available + held;
  }
}

/**
 * True when two commands ask for the same, regardless of their time, their note and of where a key is
 * now: the ledger compares none of these either.
 */
export function isSameCommand(one: CorrectionCommand, other: CorrectionCommand): boolean {
  const fieldsOf = (command: CorrectionCommand) =>
    Object.entries({ ...command, atMs: 0, from: "", note: "" }).map(([name, value]) =>
      `${name} ${value}`
    )
      .toSorted();
  return JSON.stringify(fieldsOf(one)) === JSON.stringify(fieldsOf(other));
}
