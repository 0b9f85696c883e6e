/**
 * Reduces a failing run to the steps that it needs.
 *
 * @module
 */

import type { Step } from "./steps.ts";

/** Returns true if these steps still fail in the same way. */
export type StillFails<S = Step> = (steps: readonly S[]) => Promise<boolean>;

/** Options of {@linkcode shrink}. */
export interface ShrinkOptions<S> {
  /** Returns simpler versions of a step, the simplest first. */
  readonly simpler: (step: S) => readonly S[];
  /** Maximum number of runs. @default {2000} */
  readonly tries?: number | undefined;
}

/**
 * Removes as many steps as possible, large pieces first, until no single one can go, and reduces
 * each remaining step as far as possible.
 */
export async function shrink<S>(
  steps: readonly S[],
  stillFails: StillFails<S>,
  { simpler, tries = 2_000 }: ShrinkOptions<S>,
): Promise<readonly S[]> {
  let remaining = steps;
  const attempt = async (shorter: readonly S[]) => {
    if (tries-- <= 0 || !await stillFails(shorter)) return false;
    remaining = shorter;
    return true;
  };
  for (let size = Math.ceil(remaining.length / 2); size >= 1 && tries > 0;) {
    let isShorter = false;
    for (let from = 0; from < remaining.length && tries > 0;) {
      const shorter = [...remaining.slice(0, from), ...remaining.slice(from + size)];
      if (await attempt(shorter)) isShorter = true;
      else from += size;
    }
    if (!isShorter || size > 1) size = size === 1 ? 0 : Math.floor(size / 2);
  }
  for (let at = 0; at < remaining.length; at++) {
    for (const step of simpler(remaining[at]!)) {
      if (await attempt(remaining.with(at, step))) break;
    }
  }
  return remaining;
}

/** Returns simpler versions of a step, the simplest first. */
export function simplerSteps(step: Step): Step[] {
  switch (step.kind) {
    case "ask": {
      const { question } = step;
      const { script } = question;
      const { cutAfter: _, ...uncut } = script;
      const { times = 1 } = step;
      return [
        { ...question, words: 1, script: { ...script, failures: [], words: 1, usage: undefined } },
        { ...question, script: { ...uncut, failures: [] } },
        { ...question, script: { ...script, failures: [] } },
        { ...question, script: { ...script, words: Math.min(1, script.words) } },
      ].map((simpler): Step => ({ kind: "ask", question: simpler, times })).concat(
        times === 1 ? [] : [{ kind: "ask", question }],
      );
    }
    case "go":
      return step.pick === 0 ? [] : [{ kind: "go", pick: 0 }];
    case "follow":
      return [1, 2, 4].filter((events) => events < step.events)
        .map((events) => ({ ...step, pick: 0, events }));
    case "fail":
      return [{ ...step, commits: 1, reads: 0 }, { ...step, commits: 1 }];
    case "crash":
      return step.afterMs === 0 ? [] : [{ ...step, afterMs: 0 }];
    case "unreadable":
      return step.reads === 1 ? [] : [{ ...step, reads: 1 }];
    default:
      return [];
  }
}
