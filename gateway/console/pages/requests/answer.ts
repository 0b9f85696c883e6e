import { z } from "zod";

/** One request, as the list has it. */
export const summary = z.object({
  id: z.string(),
  requestId: z.string(),
  at: z.string(),
  key: z.string(),
  wallet: z.string(),
  endpoint: z.string(),
  stream: z.boolean(),
  status: z.number(),
  outcome: z.string(),
  errorCode: z.string().nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  durationMs: z.number(),
  firstByteMs: z.number().nullable(),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
  estimated: z.boolean(),
  charged: z.string(),
});

/** What `/requests` of the operator's API answers. */
export const listAnswer = z.object({
  requests: z.array(summary),
  cursor: z.string().nullable(),
});

const attempt = z.object({
  model: z.string(),
  provider: z.string(),
  outcome: z.string(),
  status: z.number().nullish(),
  ms: z.number(),
});

const timed = attempt.extend({
  task: z.string().nullable(),
  startMs: z.number().nullable(),
  words: z.string().nullable(),
});

const hold = z.object({
  id: z.string(),
  model: z.string().nullable(),
  priceVersion: z.number().nullable(),
  state: z.string(),
  held: z.string().nullable(),
  heldAt: z.string().nullable(),
  endedAt: z.string().nullable(),
  charged: z.string().nullable(),
  returned: z.string().nullable(),
  writtenOff: z.string().nullable(),
  estimated: z.boolean().nullable(),
  recovered: z.boolean(),
  reason: z.string().nullable(),
});

const task = z.object({
  taskId: z.string(),
  dependsOn: z.array(z.string()),
  status: z.string(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  startMs: z.number().nullable(),
  ms: z.number().nullable(),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
  charged: z.string(),
});

/** What `/requests/{id}` of the operator's API answers. */
export const detailAnswer = summary.extend({
  usageProblems: z.array(z.object({ model: z.string(), problem: z.string() })),
  routing: z.object({
    model: z.string(),
    provider: z.string(),
    tier: z.string(),
    reason: z.string(),
    considered: z.number(),
  }).nullable(),
  scores: z.array(z.object({ model: z.string(), score: z.number() })),
  exclusions: z.array(z.object({ model: z.string(), stage: z.string(), reason: z.string() })),
  attempts: z.array(attempt),
  timeline: z.array(timed),
  settlement: z.object({ charged: z.string(), complete: z.boolean(), holds: z.array(hold) }),
  tasks: z.array(task).nullable(),
  content: z.object({ prompt: z.string(), answer: z.string(), isCut: z.boolean() }).nullable(),
});

/** A row of the list. */
export type Summary = z.output<typeof summary>;
/** All that is known of a request. */
export type Detail = z.output<typeof detailAnswer>;
/** An upstream call that was tried, and when. */
export type TimedAttempt = z.output<typeof timed>;
/** A hold and how it ended. */
export type Hold = z.output<typeof hold>;
/** A task of a split request; its answer is the last of them. */
export type Task = z.output<typeof task>;
