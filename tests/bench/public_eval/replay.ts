/**
 * Replays questions through the real features and the real routing: a decision costs and scores what
 * the models of the set cost and scored at that question.
 *
 * @module
 */

import type { Catalog } from "../../../gateway/domain/catalog/catalog.ts";
import type { RoutingSnapshot } from "../../../gateway/domain/learning/snapshot.ts";
import { chatFeatures, type RequestFeatures } from "../../../gateway/domain/requests/features.ts";
import type { Dial } from "../../../gateway/domain/routing/dial.ts";
import type { Ladder, RoutingPlan } from "../../../gateway/domain/routing/plan.ts";
import { route } from "../../../gateway/domain/routing/route.ts";
import { NOW_MS, WALLET } from "./catalog.ts";
import type { Question, QuestionSet } from "./data.ts";

/** A plan that serves the request. */
export type OpenPlan = Extract<RoutingPlan, { ok: true }>;

/** A set with the features of its questions. */
export interface Bench {
  readonly set: QuestionSet;
  readonly features: readonly RequestFeatures[];
}

/** Returns a set with its features: those of a chat request with the question as its only message. */
export function benchOf(set: QuestionSet): Bench {
  const features = set.questions.map(({ q, a }) => ({
    ...chatFeatures({ model: "auto", messages: [{ role: "user", content: q }] }),
    // The set compares its answers by hash, as a gateway compares those of a schema.
    comparable: a === undefined ? undefined : "schema" as const,
  }));
  return { set, features };
}

/** One way of routing. */
export interface Way {
  readonly snapshot: RoutingSnapshot;
  /** Mode of verified answers: never, for all requests, or where the audited record says so. */
  readonly verify: "off" | "always" | "auto";
}

/** The result of a request. */
export interface Served {
  /** Score of the answer, 0 to 1. */
  readonly quality: number;
  /** Micro-USD of all calls. */
  readonly cost: number;
  /** Position of the model whose answer was returned. */
  readonly model: number;
}

/** Returns the decision for a question. A request belongs to the task of its category. */
export function planOf(
  { set, features }: Bench,
  at: number,
  { catalog, way, dial, seed }: {
    readonly catalog: Catalog;
    readonly way: Way;
    readonly dial: Dial;
    readonly seed: number;
  },
): OpenPlan {
  const own = features[at];
  const question = set.questions[at];
  if (own === undefined || question === undefined) throw new RangeError(`No question ${at}`);
  const plan = route({
    catalog,
    features: own,
    policy: { auto: { verify: way.verify === "always" ? "request" : way.verify } },
    wallet: WALLET,
    budget: {},
    pool: new Map(),
    snapshot: way.snapshot,
    task: question.cat,
    choice: { dial, ...(way.verify === "always" ? { verify: true } : {}) },
    seed,
    nowMs: NOW_MS,
  });
  if (!plan.ok) throw new Error(`Routing refused question ${at}: ${plan.message}`);
  return plan;
}

/** Returns the result of a plan at its question. */
export function served({ set }: Bench, at: number, plan: OpenPlan): Served {
  const question = set.questions[at];
  if (question === undefined) throw new RangeError(`No question ${at}`);
  if (plan.ladder !== undefined) return ladderResult(set, question, plan.ladder);
  const model = set.models.indexOf(plan.candidates[0]?.model.id ?? "");
  return resultOf(question, model, [model]);
}

/**
 * Returns the result of a ladder: two cheap models at once, then the third, then the better model,
 * until two answers are equal.
 */
function ladderResult(set: QuestionSet, question: Question, ladder: Ladder): Served {
  const cheap = ladder.cheap.map(({ model }) => set.models.indexOf(model.id));
  const better = set.models.indexOf(ladder.better.model.id);
  const answers = question.a ?? [];
  const called: number[] = [];
  for (const model of cheap) {
    const equal = called.find((other) => answers[other] === answers[model]);
    called.push(model);
    if (equal !== undefined) return resultOf(question, equal, called);
  }
  return resultOf(question, better, [...called, better]);
}

function resultOf(question: Question, model: number, called: readonly number[]): Served {
  const cost = called.reduce((sum, at) => sum + (question.c[at] ?? 0), 0);
  return { quality: question.y[model] ?? 0, cost, model };
}
