/**
 * One replay: questions in the order of their requests, and what every request is.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { meanOf, qualitiesOf } from "../public_eval/catalog.ts";
import type { Question, QuestionSet } from "../public_eval/data.ts";
import { orderOf } from "../public_eval/random.ts";
import { expectedOutputTokens } from "../../../gateway/domain/routing/value.ts";
import { TYPICAL_DIFFICULTY } from "../../../gateway/domain/routing/difficulty.ts";

/** Tier of the replay. */
export const TIER = "all";
/** Credits that a dollar costs at it. */
export const CREDITS_PER_USD = 1_000;

/** Price of a token of output beside one of input. */
const INPUT_SHARE = 4;

/** A replay of questions. */
export interface ReplayPlan {
  /** The models have ids that a catalog accepts, and a quality. */
  readonly set: QuestionSet;
  /** Positions of the questions, in the order of the requests; no text occurs twice. */
  readonly order: readonly number[];
  /** Requests between two snapshots. */
  readonly snapshotEvery: number;
  /** Dollars for a million output tokens, by model. */
  readonly prices: readonly number[];
}

/** The result of one request. */
export interface ReplayedRequest {
  /** Position of the model that answered. */
  readonly model: number;
  /** Micro-USD. */
  readonly cost: number;
  /** Score of the answer, 0 to 1. */
  readonly quality: number;
}

/** Plans a replay of so many requests. */
export function replayPlan(
  set: QuestionSet,
  { requests, snapshotEvery, seed }: {
    readonly requests: number;
    readonly snapshotEvery: number;
    readonly seed: number;
  },
): ReplayPlan {
  const all = set.questions.map((_, at) => at);
  const { values: quality } = qualitiesOf(set, all);
  const texts = new Set<string>();
  const order = orderOf(set.questions.length, seed).filter((at) => {
    const text = set.questions[at]?.q ?? "";
    const isNew = !texts.has(text);
    texts.add(text);
    return isNew;
  }).slice(0, requests);
  const tokens = expectedOutputTokens(TYPICAL_DIFFICULTY);
  const prices = set.models.map((_, model) =>
    meanOf(set.questions.map(({ c }) => c[model] ?? 0)) / tokens
  );
  const models = set.models.map((_, model) => `m${model}`);
  return { set: { ...set, models, quality }, order, snapshotEvery, prices };
}

/** Returns the request of a question; its system prompt names the category, which is the task. */
export function requestOf({ set }: Pick<ReplayPlan, "set">, question: Question): ChatRequest {
  const categories = [...new Set(set.questions.map(({ cat }) => cat))];
  // Numbers are no part of a task, so the category has a name of letters.
  const name = String.fromCharCode(97 + categories.indexOf(question.cat) % 26);
  return {
    model: "auto",
    messages: [
      { role: "system", content: `You answer questions of the kind ${name}: ${question.cat}.` },
      { role: "user", content: question.q },
    ],
  };
}

/** Tokens of input that the upstream reports. */
const INPUT_TOKENS = 1;

/** Returns the usage of a model's answer to a question, whose price is the recorded cost. */
export function usageOf(
  { prices }: Pick<ReplayPlan, "prices">,
  question: Question,
  model: number,
): { readonly inputTokens: number; readonly outputTokens: number } {
  const tokens = (question.c[model] ?? 0) / (prices[model] ?? 1) - INPUT_TOKENS / INPUT_SHARE;
  return { inputTokens: INPUT_TOKENS, outputTokens: Math.max(1, Math.round(tokens)) };
}

/** Returns the model with the highest mean score over the requests of a replay. */
export function bestModel({ set, order }: ReplayPlan): number {
  const means = set.models.map((_, model) =>
    meanOf(order.map((at) => set.questions[at]?.y[model] ?? 0))
  );
  return means.indexOf(Math.max(...means));
}

/** Returns the configuration file of a gateway for the replay. */
export function replayConfig(
  { set, prices }: ReplayPlan,
  { baseUrl, auto = {} }: {
    readonly baseUrl: string;
    readonly auto?: Readonly<Record<string, unknown>>;
  },
): unknown {
  const names = { en: "All", zh: "全部" };
  return {
    upstreams: [{ id: "replay", kind: "openai-compatible", baseUrl, apiKey: "none" }],
    models: set.models.map((id, model) => ({
      id,
      upstream: "replay",
      upstreamModel: id,
      endpoints: ["chat"],
      quality: set.quality?.[model] ?? 0.5,
      contextTokens: 200_000,
      maxOutputTokens: 16_000,
      price: {
        inputPerMTok: ((prices[model] ?? 0) / INPUT_SHARE).toFixed(6),
        outputPerMTok: (prices[model] ?? 0).toFixed(6),
        currency: "USD",
      },
    })),
    tiers: [{
      id: TIER,
      creditsPerUsd: String(CREDITS_PER_USD),
      models: "*",
      orchestration: "off",
      name: names,
      description: names,
    }],
    auto,
  };
}
