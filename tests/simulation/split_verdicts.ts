/**
 * What must hold of a request that is split into tasks.
 *
 * Its calls run at once, so that nobody outside can tell which hold is whose. But each settlement must
 * be right for a call of its own.
 *
 * @module
 */

import type { Accuse, Settlement } from "./books.ts";
import type { Caller } from "./caller.ts";
import { rightCheckpoints, rightPartCosts, type SettledCall } from "./expected_charge.ts";
import type { Attempt } from "./scripted_upstream.ts";

/** What a charge is. */
export const RIGHT_CHARGE = "a charge is usage times the frozen price, and a failed call is free";
/** What a charge is after a crash. */
export const CRASH_CHARGE = "a crash charges at most what was delivered";

/** A settlement, with what is known of its request at that moment. */
export interface Settled
  extends Pick<SettledCall, "model" | "left" | "leftForMs" | "interrupted" | "catalog" | "tier"> {
  readonly settlement: Settlement;
}

/** Of each settled hold of a caller, the calls that it can be the bill of. */
const BILLS = new WeakMap<Caller, (readonly Attempt[])[]>();

/** A settlement of a split request: it is right for a call that no other settlement is for. */
export function judgePart(
  caller: Caller,
  { settlement, ...known }: Settled,
  accuse: Accuse,
): void {
  const { charged, writtenOff, recovered, model } = settlement;
  const cost = charged + writtenOff;
  const { words } = caller.told;
  const fits = caller.attempts.filter((attempt) => {
    if (attempt.model !== model) return false;
    const isAnswer = attempt.part === "final" || attempt.part === "plain";
    const shown = caller.question.stream && attempt.part !== "plan" &&
      (isAnswer || caller.question.split?.choice === "all");
    // A task that begins again says again what it said before: only the answer's words are counted.
    const read = isAnswer ? words.get("final") ?? 0 : 0;
    const call = { ...known, attempt, asked: attempt.asked, stream: shown, read };
    if (!recovered) return rightPartCosts(call).includes(cost);
    // A task is shown as it comes, whether or not its caller reads so fast.
    const sent = isAnswer ? read : attempt.words;
    const checkpoint = { ...call, asked: attempt.askedAtLeast, read: sent };
    return rightCheckpoints(checkpoint).includes(cost);
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

/** Whether each can have one of those that it wants, and none is had twice. */
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

/** Who saw the end of a split request saw an answer or an error, whose parts are the bill. */
export function judgeAnswer(caller: Caller, accuse: Accuse): void {
  const { question, number } = caller;
  if (question.split === undefined) return;
  const { hasError, words, parts, billed } = caller.told;
  if (parts !== undefined && parts !== billed) {
    accuse("the parts of a bill add up", `request ${number}: ${parts} of ${billed}`);
  }
  const said = words.get("final") ?? 0;
  if (hasError) {
    if (said > 0 || question.stream) accuse("an answer or an error", `request ${number} has both`);
    return;
  }
  const isAnswer = ({ part }: Attempt) => part === "final" || part === "plain";
  const answers = caller.attempts.filter((attempt) => isAnswer(attempt) && attempt.ended);
  if (answers.at(-1)?.words === said) return;
  accuse("the answer is what its model said", `request ${number}: ${said} words`);
}

/** A split request that has come to its end. */
export function judgeSplitEnd(
  caller: Caller,
  { charged, isTold, isLate }: {
    readonly charged: bigint;
    readonly isTold: boolean;
    /** The store would not take a settlement when it was due. */
    readonly isLate: boolean;
  },
  accuse: Accuse,
): void {
  const { number, state, told, text } = caller;
  if (isTold) return;
  const hasFailed = state === "refused" || (state === "broken" && told.hasError);
  const billed = told.billed ?? 0n;
  // What the store has not taken when its caller is told may be given back by the next start; and of
  // the call that it fails for, nobody can tell yet what it will have cost.
  const isOpen = isLate && (billed > charged || text.includes('"code":"store_unavailable"'));
  if (hasFailed && billed !== charged && !isOpen) {
    accuse(
      "who is told of a failure is told what it cost",
      `request ${number}: told ${told.billed}, charged ${charged}`,
    );
  }
  const isBilled = BILLS.has(caller);
  if (state === "complete" && (told.words.get("final") ?? 0) > 0 && !isBilled) {
    accuse("what was delivered is billed", `request ${number}`);
  }
}
