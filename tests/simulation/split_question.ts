/**
 * Requests that the gate splits: the texts of their planner, and the course of each of their calls.
 *
 * @module
 */

import { notedTask } from "../../gateway/domain/orchestration/task_notes.ts";
import { fewestTokens } from "../../gateway/domain/requests/token_floor.ts";
import { contentOf } from "../../gateway/wire/chat/text.ts";
import type { Random } from "./random.ts";
import { type Attempt, type Script, tokensOf } from "./scripted_upstream.ts";

/** Name of a planner text. */
export type PlanName = keyof typeof PLANS;

/** The course of a request that the gate splits. */
export interface SplitScript {
  /** Value of `X-Orchestration`: all tasks, or the final answer. */
  readonly choice: "all" | "final";
  /** Texts of the planner, call by call; the last one repeats. */
  readonly plans: readonly PlanName[];
  /**
   * Behaviour of the upstream for each part, the calls of the planner and of the answer included.
   */
  readonly parts: Readonly<Record<string, Script>>;
}

/** Text that the gate judges to be a comparison. No word in it is a token. */
const COMPARISON = "Compare tea, coffee and cocoa in terms of health, cost and history.";

const PLANS = {
  three: planText(["a"], ["b"], ["c"]),
  chain: planText(["a"], ["b", "a"], ["c", "b"]),
  fork: planText(["a"], ["b"], ["c", "a", "b"], ["d", "a"]),
  six: planText(["a"], ["b"], ["c"], ["d"], ["e"], ["f"]),
  one: planText(["a"]),
  none: planText(),
  circle: planText(["a", "b"], ["b", "a"]),
  nonsense: "w w I cannot plan this",
} as const;

/** Script of a part without failures; its usage is counted. */
const CALM: Script = { failures: [], words: 5, usageFirst: false };

/** Script of a task that costs its maximum and fails, repeatedly. */
const GREEDY: Script = {
  failures: [],
  words: 5,
  usage: { input: 100_000, cached: 0, output: 1 },
  usageFirst: true,
  cutAfter: 4,
};
/** Share of split requests that have only such tasks. */
const GREEDY_SHARE = 0.1;

/** Parts that have scripts. */
export const PARTS = ["plan", "a", "b", "c", "d", "e", "f", "final"] as const;

/** Returns the text of a planner: each task with its dependencies. */
function planText(...tasks: readonly (readonly [string, ...string[]])[]): string {
  // The first words are tokens: a plan has a price.
  return `w w ${
    JSON.stringify({
      tasks: tasks.map(([id, ...dependsOn]) => ({
        ...{ task_id: id, title: `About ${id}`, instruction: `Say w w of ${id}` },
        ...{ depends_on: dependsOn, needs: [] },
      })),
    })
  }`;
}

/** Returns the text of a split request. */
export function splitText(words: string): string {
  return `${words}${COMPARISON}`;
}

/** Draws the course of a split request; `drawScript` draws that of one call. */
export function drawSplit(random: Random, drawPart: () => Script): SplitScript {
  const usual = ["three", "three", "three", "chain", "fork", "six"] as const;
  const unusual = ["one", "none", "circle", "nonsense"] as const;
  const plan = () => random.pick(random.chance(0.8) ? usual : unusual);
  if (random.chance(GREEDY_SHARE)) return greedySplit(random.pick(["all", "final"]));
  return {
    choice: random.pick(["all", "final"]),
    plans: [plan(), plan()],
    // If most parts failed, few requests would come to their answer.
    parts: Object.fromEntries(PARTS.map((part) => [part, random.chance(0.5) ? CALM : drawPart()])),
  };
}

/** Returns a split request whose tasks each cost their maximum, twice. */
export function greedySplit(choice: SplitScript["choice"]): SplitScript {
  const parts = Object.fromEntries(PARTS.map((part) => [part, part === "plan" ? CALM : GREEDY]));
  return { choice, plans: ["six"], parts };
}

/**
 * Returns the part of a request that a call is for, and the tokens of its prompt: see `Attempt`.
 */
export function partOf(
  body: Readonly<Record<string, unknown>>,
): Pick<Attempt, "part" | "promptTokens" | "promptTokensAtLeast"> {
  const messages = Array.isArray(body["messages"]) ? body["messages"] : [];
  const texts = messages.map((message) => contentOf(message));
  const { taskId } = notedTask(texts.at(-1) ?? "") ?? { taskId: "plain" };
  const text = texts.join("\n");
  return {
    part: taskId,
    promptTokens: tokensOf(text),
    promptTokensAtLeast: fewestTokens(text, { maxChars: text.length }),
  };
}

/**
 * Returns the script of a part's next call; `answered`: number of its calls so far that were not to
 * fail.
 */
export function partScript(
  { split, script }: { readonly split?: SplitScript | undefined; readonly script: Script },
  { part, answered }: { readonly part: string; readonly answered: number },
): Script {
  const own = split?.parts[part] ?? script;
  if (part !== "plan" || split === undefined) return own;
  const name = split.plans[Math.min(answered, split.plans.length - 1)] ?? "nonsense";
  return { ...own, says: PLANS[name] };
}
