/**
 * The parts of a request: its tasks and its answer, by the model that produced them. The only
 * definition of which model a request's tokens and credits belong to.
 *
 * @module
 */

import { type Micros, parseCredits } from "../ledger/money.ts";
import type { OtherUse, RequestRecord, TaskRecord } from "./record.ts";

/** Model or provider of a part that reached none. */
export const NO_MODEL = "";

/** Share of one model in a request. */
export interface RequestPart {
  /** Catalog id; {@linkcode NO_MODEL} if none was reached. */
  readonly model: string;
  readonly provider: string;
  readonly charged: Micros;
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly durationMs: number;
}

/** The answer of a request: the whole without its tasks. */
export interface AnswerPart extends RequestPart {
  /** Milliseconds since the request began. */
  readonly startMs: number;
}

/**
 * Returns the parts of a request, which add up to the whole. An unsplit request of one model has
 * one part. Otherwise parts that reached no model and cost nothing are omitted.
 */
export function partsOf(record: RequestRecord): readonly RequestPart[] {
  // Nearly every request.
  if (!hasParts(record)) return [wholeOf(record)];
  const { startMs: _startMs, ...answer } = answerOf(record);
  const tasks = (record.tasks ?? []).flatMap((task) => byModel(partOf(task), task.others));
  const uses = [...tasks, ...byModel(answer, record.others)].filter(isUse);
  return uses.length > 0 ? uses : [answer];
}

/** True when a request has, or may have, more than one part. */
export function hasParts({ tasks, others }: RequestRecord): boolean {
  return tasks !== undefined || others !== undefined;
}

/** Returns a request of one model as its only part. */
function wholeOf(record: RequestRecord): RequestPart {
  const { routing, inputTokens, cachedInputTokens, outputTokens, durationMs } = record;
  return {
    model: routing?.model ?? NO_MODEL,
    provider: routing?.provider ?? NO_MODEL,
    charged: microsOf(record),
    inputTokens,
    cachedInputTokens,
    outputTokens,
    durationMs: Math.max(0, durationMs),
  };
}

/** Splits a part into the share of other models and the remainder. */
function byModel(part: RequestPart, others: readonly OtherUse[] = []): readonly RequestPart[] {
  if (others.length === 0) return [part];
  const parts = others.map(({ ms, ...use }) => ({
    ...use,
    charged: microsOf(use),
    durationMs: ms,
  }));
  const rest = (of: (some: RequestPart) => number) =>
    parts.reduce((remaining, some) => remaining - of(some), of(part));
  const own = {
    ...part,
    charged: parts.reduce((remaining, { charged }) => remaining - charged, part.charged),
    inputTokens: rest(({ inputTokens }) => inputTokens),
    cachedInputTokens: rest(({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: rest(({ outputTokens }) => outputTokens),
  };
  return [...parts, own];
}

/** Returns the answer's own part of a request. */
export function answerOf(record: RequestRecord): AnswerPart {
  const { routing, tasks = [], attemptStarts, durationMs } = record;
  const rest = (of: (part: RequestRecord | TaskRecord) => number) =>
    tasks.reduce((remaining, task) => remaining - of(task), of(record));
  const ended = Math.max(0, ...tasks.map(({ startMs = 0, ms = 0 }) => startMs + ms));
  const startMs = tasks.length === 0 ? 0 : attemptStarts?.[0] ?? ended;
  return {
    model: routing?.model ?? NO_MODEL,
    provider: routing?.provider ?? NO_MODEL,
    charged: tasks.reduce((remaining, task) => remaining - microsOf(task), microsOf(record)),
    inputTokens: rest(({ inputTokens }) => inputTokens),
    cachedInputTokens: rest(({ cachedInputTokens }) => cachedInputTokens),
    outputTokens: rest(({ outputTokens }) => outputTokens),
    startMs,
    durationMs: Math.max(0, durationMs - startMs),
  };
}

function partOf(task: TaskRecord): RequestPart {
  const { model = NO_MODEL, provider = NO_MODEL, ms = 0 } = task;
  const { inputTokens, cachedInputTokens, outputTokens } = task;
  return {
    ...{ model, provider, charged: microsOf(task), durationMs: ms },
    ...{ inputTokens, cachedInputTokens, outputTokens },
  };
}

function isUse({ model, charged, inputTokens, outputTokens }: RequestPart): boolean {
  return model !== NO_MODEL || charged !== 0n || inputTokens !== 0 || outputTokens !== 0;
}

function microsOf({ charged }: { readonly charged: string }): Micros {
  return parseCredits(charged) ?? 0n;
}
