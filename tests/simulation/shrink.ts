/**
 * Cuts a failing run down to the steps that it needs.
 *
 * @module
 */

import type { Step } from "./steps.ts";

/** Tells whether these steps still fail in the way that is looked for. */
export type StillFails = (steps: readonly Step[]) => Promise<boolean>;

/**
 * Leaves out as many steps as it can, large pieces first, until no single one can go; what is left
 * of a step is made as small as it can be. At most `tries` runs.
 */
export async function shrink(
  steps: readonly Step[],
  stillFails: StillFails,
  options: { readonly tries: number } = { tries: 2_000 },
): Promise<readonly Step[]> {
  let kept = steps;
  let tries = options.tries;
  const attempt = async (shorter: readonly Step[]) => {
    if (tries-- <= 0 || !await stillFails(shorter)) return false;
    kept = shorter;
    return true;
  };
  for (let size = Math.ceil(kept.length / 2); size >= 1 && tries > 0;) {
    let isShorter = false;
    for (let from = 0; from < kept.length && tries > 0;) {
      const shorter = [...kept.slice(0, from), ...kept.slice(from + size)];
      if (await attempt(shorter)) isShorter = true;
      else from += size;
    }
    if (!isShorter || size > 1) size = size === 1 ? 0 : Math.floor(size / 2);
  }
  for (let at = 0; at < kept.length; at++) {
    for (const simpler of simplerSteps(kept[at]!)) {
      if (await attempt(kept.with(at, simpler))) break;
    }
  }
  return kept;
}

/** The same step with less in it, the least first. */
function simplerSteps(step: Step): Step[] {
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
