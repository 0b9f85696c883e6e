/**
 * The invariants of a request that is split into tasks. Its calls run at once, so no hold can be
 * assigned to a call from outside, but each settlement must be right for a separate call.
 *
 * @module
 */

import type { Accuse, Settlement } from "./books.ts";
import type { Caller } from "./caller.ts";
import { rightCheckpoints, rightPartCosts, type SettledCall } from "./expected_charge.ts";
import type { Attempt } from "./scripted_upstream.ts";

/** The rule for a charge. */
export const RIGHT_CHARGE = "a charge is usage times the frozen price, and a failed call is free";
/** The rule for a charge after a crash. */
export const CRASH_CHARGE = "a crash charges at most what was delivered";

/** A settlement, with the facts about its request at that moment. */
export interface Settled
  extends Pick<SettledCall, "model" | "hasLeft" | "leftForMs" | "interrupted" | "catalog"> {
  /** Tiers that the wallet had from the request to the hold. */
  readonly tiers: readonly string[];
  readonly settlement: Settlement;
}

/** For each settled hold of a caller, the calls that it can be the settlement of. */
const BILLS = new WeakMap<Caller, (readonly Attempt[])[]>();

/**
 * Checks a settlement of a split request: it must be right for a call without another settlement.
 */
export function judgePart(
  caller: Caller,
  { settlement, tiers, ...known }: Settled,
  accuse: Accuse,
): void {
  const { charged, writtenOff, recovered, model } = settlement;
  const cost = charged + writtenOff;
  const { words } = caller.report;
  const fits = caller.attempts.filter((attempt) => {
    if (attempt.model !== model) return false;
    const isAnswer = attempt.part === "final" || attempt.part === "plain";
    const shown = caller.question.stream && attempt.part !== "plan" &&
      (isAnswer || caller.question.split?.choice === "all");
    // A task that begins again repeats its text: only the words of the answer are counted.
    const read = isAnswer ? words.get("final") ?? 0 : 0;
    const call = { ...known, attempt, promptTokens: attempt.promptTokens, stream: shown, read };
    // A task is sent as it arrives, even if its caller reads more slowly.
    const sent = isAnswer ? read : attempt.words;
    const checkpoint = { ...call, promptTokens: attempt.promptTokensAtLeast, read: sent };
    return tiers.some((tier) =>
      (recovered ? rightCheckpoints({ ...checkpoint, tier }) : rightPartCosts({ ...call, tier }))
        .includes(cost)
    );
  });
  const bills = [...BILLS.get(caller) ?? [], fits];
  BILLS.set(caller, bills);
  if (canAllHaveOne(bills)) return;
  const calls = caller.attempts.filter((attempt) => attempt.model === model)
    .map(({ part, words, usage }) => `${part} of ${words} words, ${JSON.stringify(usage)}`);
  accuse(
    recovered ? CRASH_CHARGE : RIGHT_CHARGE,
    `request ${caller.number}: ${cost} by ${model} is for none of ${calls.join("; ")}`,
  );
}

/** True when each can have one of those it wants, and none is used twice. */
function canAllHaveOne<T>(wanted: readonly (readonly T[])[]): boolean {
  const owners = new Map<T, number>();
  const find = (at: number, tried: Set<T>): boolean =>
    (wanted[at] ?? []).some((one) => {
      if (tried.has(one)) return false;
      tried.add(one);
      const owner = owners.get(one);
      if (owner !== undefined && !find(owner, tried)) return false;
      owners.set(one, at);
      return true;
    });
  return wanted.every((_, at) => find(at, new Set()));
}

/**
 * Checks the complete answer of a split request: it is an answer or an error, and its parts add up
 * to the bill.
 */
export function judgeAnswer(caller: Caller, accuse: Accuse): void {
  const { question, number } = caller;
  if (question.split === undefined) return;
  const { hasError, words, parts, billed } = caller.report;
  if (parts !== undefined && parts !== billed) {
    accuse("the parts of a bill add up", `request ${number}: ${parts} of ${billed}`);
  }
  const answerWords = words.get("final") ?? 0;
  if (hasError) {
    if (answerWords > 0 || question.stream) {
      accuse("an answer or an error", `request ${number} has both`);
    }
    return;
  }
  const isAnswer = ({ part }: Attempt) => part === "final" || part === "plain";
  const answers = caller.attempts.filter((attempt) => isAnswer(attempt) && attempt.ended);
  if (answers.at(-1)?.words === answerWords) return;
  accuse("the answer is the text of its model", `request ${number}: ${answerWords} words`);
}

/** Checks a split request at its end. */
export function judgeSplitEnd(
  caller: Caller,
  { charged, isDoubted, isLate, late }: {
    readonly charged: bigint;
    readonly isDoubted: boolean;
    /** True when the store refused a settlement that was due. */
    readonly isLate: boolean;
    /** Settlements that the store refused when they were due. */
    readonly late: readonly Pick<Settlement, "charged" | "recovered">[];
  },
  accuse: Accuse,
): void {
  const { number, state, report } = caller;
  if (isDoubted) return;
  const hasFailed = state === "refused" || (state === "broken" && report.hasError);
  const billed = report.billed ?? 0n;
  // The next start may void a hold that the store has not settled when its caller is answered, or
  // settle it at its checkpoint, which counts more than the words of the simulation; and the cost of
  // the call that it fails for is not known yet.
  const isOpen = isLate &&
    (billed > charged || late.some((one) => one.recovered || billed === charged - one.charged));
  if (hasFailed && billed !== charged && !isOpen) {
    accuse(
      "a failure reports its cost",
      `request ${number}: reported ${report.billed}, charged ${charged}`,
    );
  }
  const isBilled = BILLS.has(caller);
  if (state === "complete" && (report.words.get("final") ?? 0) > 0 && !isBilled) {
    accuse("what was delivered is billed", `request ${number}`);
  }
}
