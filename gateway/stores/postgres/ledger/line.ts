/**
 * Holds that wait for credits, in one line for all instances, first come first served: a wallet's
 * credits go to the first in its line, however small the next hold is. Holds that do not count
 * against it may pass a hold that waits for a budget.
 *
 * @module
 */

import { decideHold } from "../../../domain/ledger/decide.ts";
import { ShortBudgets } from "../../../domain/ledger/budgets.ts";
import type { HoldCommand } from "../../../domain/ledger/ledger.ts";
import { type HoldAnswer, holdAnswer, type HoldRefusal, holdRefusal } from "../../hold_answer.ts";
import type { BatchView } from "./batch_view.ts";

/** Maximum number of holds that wait for one wallet. */
export const WAITING_MAX = 1_000;

/** The answer to a hold, or its reason to wait. */
export type Arrival =
  | { readonly isWaiting: false; readonly answer: HoldAnswer }
  | { readonly isWaiting: true; readonly refusal: HoldRefusal };

/** Takes a hold if it is affordable and the line is empty; else it waits, if it may. */
export function arrive(view: BatchView, command: HoldCommand, mayWait: boolean): Arrival {
  const decision = decideHold(view, command);
  const line = view.lines.of(command.walletId);
  const isSettled = decision.ok ? decision.change === undefined : !decision.waitable;
  if (isSettled || (line.length === 0 && (decision.ok || !mayWait))) {
    if (decision.ok && decision.change !== undefined) view.apply(decision.change);
    return { isWaiting: false, answer: holdAnswer(decision) };
  }
  const refusal: HoldRefusal = decision.ok
    ? { ok: false, refusal: "insufficient_balance" }
    : holdRefusal(decision);
  if (!line.some(({ command: { holdId } }) => holdId === command.holdId)) view.wait(command);
  const length = view.lines.length(command.walletId);
  serve(view, command.walletId);
  const hold = view.hold(command.holdId);
  if (hold !== undefined) {
    return { isWaiting: false, answer: { ok: true, value: { held: hold.amount } } };
  }
  if (mayWait && length <= WAITING_MAX) return { isWaiting: true, refusal };
  view.lines.remove(command.holdId);
  return { isWaiting: false, answer: refusal };
}

/**
 * Takes a hold out of the line, unless it was served meanwhile, or can be now: the batch that should
 * have served the line may have failed. Those behind it may need less.
 */
export function giveUp(
  view: BatchView,
  command: HoldCommand,
  refusal: HoldRefusal,
): HoldAnswer {
  serve(view, command.walletId);
  const hold = view.hold(command.holdId) ?? view.ended(command.holdId)?.hold;
  if (hold !== undefined) return { ok: true, value: { held: hold.amount } };
  leave(view, command.holdId);
  return refusal;
}

/** Takes a hold out of the line, if it is there, and serves those behind it. */
export function leave(view: BatchView, holdId: string): void {
  const command = view.lines.remove(holdId);
  if (command !== undefined) serve(view, command.walletId);
}

/** Serves a wallet's line as far as its available credits allow. */
export function serve(view: BatchView, walletId: string): void {
  const short = new ShortBudgets();
  for (const waiting of view.lines.of(walletId)) {
    const { command, instance } = waiting;
    if (short.has(command)) continue;
    if (view.lines.hasUnseen(walletId, short, waiting.number)) break;
    const decision = decideHold(view, command);
    if (decision.ok || !decision.waitable) {
      if (decision.ok && decision.change !== undefined) view.apply(decision.change, instance);
      view.lines.remove(command.holdId);
      view.answered.push(waiting);
      continue;
    }
    if (decision.refusal === "insufficient_balance") return;
    short.add(command, decision.short);
  }
  if (view.lines.hasUnseen(walletId, short)) view.lines.leaveRest(walletId);
}
