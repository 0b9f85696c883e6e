/**
 * Plans of verified answers, compared by replaying audits.
 *
 * A ladder asks two cheap models side by side and accepts an answer that both give. Where they
 * differ, a third cheap model may be asked, whose answer is accepted if it equals one of them. The
 * better model answers everything else.
 *
 * @module
 */

import { atOnce, type Steps } from "../redaction/steps.ts";
import type { AuditRecord, WalletStatistics } from "./statistics.ts";

/** A ladder with its record. */
export interface LadderPlan {
  /** Cheap models in the order in which they are asked: two at once, then at most one more. */
  readonly cheap: readonly string[];
  /** The model that answers where no two of them agree. */
  readonly better: string;
  /** Share of answers to typical requests that equal those of the better model, 0 to 1. */
  readonly quality: number;
  /** Cost beside calling the better model alone. */
  readonly cost: number;
  /** Audits of the task that the record rests on. */
  readonly audits: number;
}

/** Key of the plans over all tasks of a wallet. */
export const ALL_TASKS = "*";

/** Weight of the record over all tasks in that of one task, in audits. */
const WALLET_WEIGHT = 16;
/** Assumed before any audit: share of equal answers, and cost beside the better model's. */
const ASSUMED = { quality: 0.9, cost: 0.5, weight: 4 };
/** Maximum cheap models that ladders are made of. */
const CHEAP_MAX = 5;
/** Minimum audits of a ladder. */
const AUDITS_MIN = 5;
/**
 * Weight of an answer on which two cheap models agree and which differs from the better model's: on
 * public questions the two were right about as often as the one (`deno task eval:public`).
 */
const DISSENT = 0.5;

/** True when the task has audits enough for using the ladder without a request for it. */
export function isProven({ audits }: Pick<LadderPlan, "audits">): boolean {
  return audits >= AUDITS_MIN;
}

/** Returns the probability of a good answer of a ladder, of which the better model has `better`. */
export function ladderProbability(
  { quality }: Pick<LadderPlan, "quality">,
  { better, load }: { readonly better: number; readonly load: number },
): number {
  return better * Math.max(0, 1 - (1 - quality) * load);
}

/** The result of a ladder in one audit. */
interface Replay {
  readonly equal: boolean;
  readonly cost: number;
  readonly alone: number;
}

/** Ladders that are replayed in one step. */
const STEP_LADDERS = 8;

/** Returns the plans as {@linkcode ladderPlanSteps} computes them. */
export function ladderPlans(statistics: Pick<WalletStatistics, "audits">) {
  return atOnce(ladderPlanSteps(statistics));
}

/**
 * Computes the plans of all tasks under {@linkcode ALL_TASKS}, and those of every task with enough
 * audits, which for other tasks would hardly differ from them.
 */
export function* ladderPlanSteps(
  { audits: all }: Pick<WalletStatistics, "audits">,
): Steps<Record<string, LadderPlan[]>> {
  // Verified answers compare without a judge, whose audits say nothing about them.
  const audits = all.filter(({ answers }) => !answers.some(({ judged }) => judged));
  const plans: Record<string, LadderPlan[]> = {};
  const ladders = laddersOf(audits);
  const tasks = [...Map.groupBy(audits, ({ task }) => task)]
    .filter(([, own]) => own.length >= AUDITS_MIN);
  for (const [at, { cheap, better }] of ladders.entries()) {
    if (at % STEP_LADDERS === 0) yield;
    const overall = recordOf(audits, { cheap, better }, ASSUMED);
    if (overall.audits < AUDITS_MIN) continue;
    (plans[ALL_TASKS] ??= []).push({ cheap, better, ...overall });
    for (const [task, own] of tasks) {
      const record = recordOf(own, { cheap, better }, { ...overall, weight: WALLET_WEIGHT });
      (plans[task] ??= []).push({ cheap, better, ...record });
    }
  }
  return plans;
}

/** Returns all ladders of two or three of the models that were audited most. */
function laddersOf(audits: readonly AuditRecord[]): Pick<LadderPlan, "cheap" | "better">[] {
  const better = mostFrequent(audits.flatMap(({ answers }) => answers[0]?.model ?? []))[0];
  if (better === undefined) return [];
  const cheap = mostFrequent(
    audits.flatMap(({ answers }) => answers.slice(1).map(({ model }) => model)),
  ).filter((model) => model !== better).slice(0, CHEAP_MAX).sort();
  const ladders: Pick<LadderPlan, "cheap" | "better">[] = [];
  for (const [at, first] of cheap.entries()) {
    for (const second of cheap.slice(at + 1)) {
      ladders.push({ cheap: [first, second], better });
      for (const third of cheap) {
        if (third !== first && third !== second) {
          ladders.push({ cheap: [first, second, third], better });
        }
      }
    }
  }
  return ladders;
}

function mostFrequent(models: readonly string[]): string[] {
  const groups = [...Map.groupBy(models, (model) => model)];
  return groups.sort(([a, one], [b, other]) => other.length - one.length || (a < b ? -1 : 1))
    .map(([model]) => model);
}

function recordOf(
  audits: readonly AuditRecord[],
  ladder: Pick<LadderPlan, "cheap" | "better">,
  prior: { readonly quality: number; readonly cost: number; readonly weight: number },
): Pick<LadderPlan, "quality" | "cost" | "audits"> {
  let [count, bad, load, cost, alone] = [0, 0, 0, 0, 0];
  for (const audit of audits) {
    const result = replay(audit, ladder);
    if (result === undefined) continue;
    count++;
    if (!result.equal) bad += DISSENT;
    load += audit.load;
    cost += result.cost;
    alone += result.alone;
  }
  const mean = count === 0 ? 1 : alone / count;
  const { quality, weight } = prior;
  return {
    quality: Math.max(0, 1 - (bad + weight * (1 - quality)) / (load + weight)),
    cost: (cost + weight * prior.cost * mean) / (alone + weight * mean),
    audits: count,
  };
}

/** Returns the result of a ladder in an audit; `undefined` if the audit lacks one of its models. */
export function replay(
  { answers }: AuditRecord,
  { cheap, better }: Pick<LadderPlan, "cheap" | "better">,
): Replay | undefined {
  const best = answers.find(({ model }) => model === better);
  if (best === undefined) return undefined;
  const groups: number[] = [];
  let cost = 0;
  for (const model of cheap) {
    const answer = answers.find((candidate) => candidate.model === model);
    if (answer === undefined) return undefined;
    cost += answer.cost;
    if (groups.includes(answer.group)) {
      return { equal: answer.group === best.group, cost, alone: best.cost };
    }
    groups.push(answer.group);
  }
  return { equal: true, cost: cost + best.cost, alone: best.cost };
}
