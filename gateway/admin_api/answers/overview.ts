/**
 * Answers with sums over the requests of a time.
 *
 * @module
 */

import { z } from "zod";
import { configSchema } from "../../config/schema.ts";
import { poolAnswer } from "./catalog.ts";
import { countAnswer, creditsAnswer, timeAnswer } from "./parts.ts";
import { requestSummaryAnswer } from "./requests.ts";

const sums = {
  requests: countAnswer,
  ok: countAnswer,
  errors: countAnswer,
  refused: countAnswer,
  clientLeft: countAnswer,
  charged: creditsAnswer,
  inputTokens: countAnswer,
  cachedInputTokens: countAnswer,
  outputTokens: countAnswer,
};

const percentiles = z.strictObject({
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
});

const latencies = { durationMs: percentiles, firstByteMs: percentiles };
const others = z.boolean().describe("The sum of all that are not named");
const { id, status, reason, retryAfterMs, latencyMs, failures } =
  poolAnswer.shape.models.element.shape;
const upstream = configSchema.shape.upstreams.element.shape;
const row = requestSummaryAnswer.shape;

const upstreams = z.array(z.strictObject({
  id: z.string(),
  kind: upstream.kind,
  provider: z.string(),
  state: z.enum(["unused", "available", "unavailable", "degraded"]),
  inFlight: countAnswer,
  maxInFlight: countAnswer,
  recent: z.strictObject({
    minutes: countAnswer,
    attempts: countAnswer,
    failures: countAnswer,
    failovers: countAnswer,
  }).describe(
    "Attempts of the last minutes, those that the upstream failed, and those of them " +
      "after which another model was asked",
  ),
  models: z.array(z.strictObject({ id, status, reason, retryAfterMs, latencyMs, failures })),
})).describe(
  "State, attempts and calls in flight are those of the instance that answers; `maxInFlight` is a " +
    "limit of each instance",
);

/** Answer of `GET /upstreams`. */
export const upstreamListAnswer = z.strictObject({
  upstreams,
  instance: countAnswer.nullable().describe(
    "Number of the instance whose state this is; null where one process has the store",
  ),
}).meta({ id: "UpstreamList" });

/** Answer of `GET /overview`. */
export const overviewAnswer = z.strictObject({
  since: timeAnswer,
  until: timeAnswer,
  stepMs: countAnswer,
  uncounted: countAnswer.describe("Rows of an older store, not counted in yet"),
  totals: z.strictObject(sums),
  latency: z.strictObject({
    ...latencies,
    errorBound: z.number().describe("Relative error of the percentiles"),
  }),
  series: z.array(z.strictObject({
    at: timeAnswer,
    ...sums,
    ...latencies,
    groups: z.array(z.strictObject({ id: z.string().nullable(), others, ...sums })).optional()
      .describe(
        "With `by`: what each model or key came to in this step. An id of null is what " +
          "reached no model, or the sum of all others",
      ),
  })),
  models: z.array(z.strictObject({
    model: z.string().nullable(),
    others,
    ...sums,
    durationMs: percentiles,
  })).describe("A split request counts once for each model of its tasks, which is charged those"),
  keys: z.array(z.strictObject({
    key: z.string().nullable(),
    name: z.string().nullable(),
    others,
    ...sums,
  })),
  endings: z.array(z.strictObject({
    outcome: row.outcome.nullable(),
    status: z.int().nullable(),
    errorCode: row.errorCode,
    others,
    requests: countAnswer,
  })),
  upstreams,
}).meta({ id: "Overview" });
