import { z } from "zod";
import { upstreamState } from "../upstreams/answers.ts";
import type { Split } from "./split.ts";

const sums = z.object({
  requests: z.number(),
  ok: z.number(),
  errors: z.number(),
  refused: z.number(),
  clientLeft: z.number(),
  charged: z.string(),
  inputTokens: z.number(),
  cachedInputTokens: z.number(),
  outputTokens: z.number(),
});

const percentiles = z.object({
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
});

const latencies = { durationMs: percentiles, firstByteMs: percentiles };
const group = sums.extend({ id: z.string().nullable(), others: z.boolean() });
const point = sums.extend({
  at: z.string(),
  ...latencies,
  groups: z.array(group).optional(),
});
const model = sums.extend({
  model: z.string().nullable(),
  others: z.boolean(),
  durationMs: percentiles,
});
const key = sums.extend({
  key: z.string().nullable(),
  name: z.string().nullable(),
  others: z.boolean(),
});
const ending = z.object({
  outcome: z.string().nullable(),
  status: z.number().nullable(),
  errorCode: z.string().nullable(),
  others: z.boolean(),
  requests: z.number(),
});

/** What `/overview` of the operator's API answers. */
export const overviewAnswer = z.object({
  since: z.string(),
  until: z.string(),
  stepMs: z.number(),
  uncounted: z.number(),
  totals: sums,
  latency: z.object({ ...latencies, errorBound: z.number() }),
  series: z.array(point),
  models: z.array(model),
  keys: z.array(key),
  endings: z.array(ending),
  upstreams: z.array(upstreamState),
});

/** The sums of a time, and what its steps are split up by. */
export type Overview = z.output<typeof overviewAnswer> & { readonly split: Split };
/** The sums of one model or key in a step. */
export type PointGroup = z.output<typeof group>;
/** The sums of a step of it. */
export type Point = z.output<typeof point>;
/** What one model came to. */
export type ModelSums = z.output<typeof model>;
/** What one key came to. */
export type KeySums = z.output<typeof key>;
/** How many requests ended in one way. */
export type Ending = z.output<typeof ending>;
