/**
 * Questions that the gate splits: what their planner says, what becomes of each of their calls.
 *
 * @module
 */

import { notedTask } from "../../gateway/domain/orchestration/task_notes.ts";
import { fewestTokens } from "../../gateway/domain/requests/token_floor.ts";
import { contentOf } from "../../gateway/wire/chat/text.ts";
import type { Random } from "./random.ts";
import { type Attempt, type Script, tokensOf } from "./scripted_upstream.ts";

/** What a planner can say. */
export type PlanName = keyof typeof PLANS;

/** What becomes of a question that the gate splits. */
export interface SplitScript {
  /** Whether its caller asks to be shown the tasks. */
  readonly choice: "all" | "final";
  /** What the planner says, call by call; the last one again and again. */
  readonly plans: readonly PlanName[];
  /** What the upstream does with each part, the planner's and the answer's calls among them. */
  readonly parts: Readonly<Record<string, Script>>;
}

/** What the gate takes for a comparison. No word in it is a token. */
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

/** What becomes of a part that meets with no trouble; its usage is counted. */
const CALM: Script = { failures: [], words: 5, usageFirst: false };

/** What becomes of a task that costs all it may, and fails, and does so again. */
const GREEDY: Script = {
  failures: [],
  words: 5,
  usage: { input: 100_000, cached: 0, output: 1 },
  usageFirst: true,
  cutAfter: 4,
};
/** How many split questions have nothing but such tasks. */
const GREEDY_SHARE = 0.1;

/** Parts that have scripts. */
export const PARTS = ["plan", "a", "b", "c", "d", "e", "f", "final"] as const;

/** What a planner says, each task with what it depends on. */
function planText(...tasks: readonly (readonly [string, ...string[]])[]): string {
  // Its first words are tokens: a plan that was said has a price.
  return `w w ${
    JSON.stringify({
      tasks: tasks.map(([id, ...dependsOn]) => ({
        ...{ task_id: id, title: `About ${id}`, instruction: `Say w w of ${id}` },
        ...{ depends_on: dependsOn, needs: [] },
      })),
    })
  }`;
}

/** The text of a split question. */
export function splitText(words: string): string {
  return `${words}${COMPARISON}`;
}

/** What becomes of a question that is split; `drawScript` draws what becomes of one call. */
export function drawSplit(random: Random, drawPart: () => Script): SplitScript {
  const usual = ["three", "three", "three", "chain", "fork", "six"] as const;
  const unusual = ["one", "none", "circle", "nonsense"] as const;
  const plan = () => random.pick(random.chance(0.8) ? usual : unusual);
  if (random.chance(GREEDY_SHARE)) return greedySplit(random.pick(["all", "final"]));
  return {
    choice: random.pick(["all", "final"]),
    plans: [plan(), plan()],
    // Where most parts failed, few requests would come to their answer.
    parts: Object.fromEntries(PARTS.map((part) => [part, random.chance(0.5) ? CALM : drawPart()])),
  };
}

/** A question of which each task costs all that it may, twice. */
export function greedySplit(choice: SplitScript["choice"]): SplitScript {
  const parts = Object.fromEntries(PARTS.map((part) => [part, part === "plan" ? CALM : GREEDY]));
  return { choice, plans: ["six"], parts };
}

/** Which part of a request a call is for, and how many tokens it reads: see `Attempt`. */
export function partOf(
  body: Readonly<Record<string, unknown>>,
): Pick<Attempt, "part" | "asked" | "askedAtLeast"> {
  const messages = Array.isArray(body["messages"]) ? body["messages"] : [];
  const texts = messages.map((message) => contentOf(message));
  const { taskId } = notedTask(texts.at(-1) ?? "") ?? { taskId: "plain" };
  const text = texts.join("\n");
  return {
    part: taskId,
    asked: tokensOf(text),
    askedAtLeast: fewestTokens(text, { maxChars: text.length }),
  };
}

/** What becomes of a part's next call; `answered`: its calls that were not to fail, until now. */
export function partScript(
  { split, script }: { readonly split?: SplitScript | undefined; readonly script: Script },
  { part, answered }: { readonly part: string; readonly answered: number },
): Script {
  const own = split?.parts[part] ?? script;
  if (part !== "plan" || split === undefined) return own;
  const name = split.plans[Math.min(answered, split.plans.length - 1)] ?? "nonsense";
  return { ...own, says: PLANS[name] };
}
