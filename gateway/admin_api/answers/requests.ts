/**
 * Answers about requests and usage.
 *
 * @module
 */

import { ERROR_TABLE, type ErrorCode } from "@svc/sdk/protocol";
import { z } from "zod";
import { orchestrationSchema } from "../../http/schemas/orchestration.ts";
import { metadataSchema } from "../../http/schemas/chat_answer.ts";
import { ENDPOINTS } from "../../domain/requests/endpoints.ts";
import { OUTCOMES } from "../../domain/requests/record.ts";
import { NAME_KINDS, NAMES_A_DAY, NAMES_MAX } from "../../domain/requests/named_sums.ts";
import { grouping } from "../request_filter.ts";
import { entryAnswer } from "./wallets.ts";
import { countAnswer, creditsAnswer, cursorAnswer, timeAnswer } from "./parts.ts";

const codes = Object.keys(ERROR_TABLE) as [ErrorCode, ...ErrorCode[]];
/** Rows of older versions lack the members that say what a decision rests on. */
const routing = metadataSchema.shape.routing.partial({
  ...{ dial: true, plan: true, difficulty: true, p: true, p_error: true },
  ...{ outcomes: true, snapshot: true, task: true },
});

const summary = {
  id: z.string().describe("Of the row: callers may repeat theirs"),
  requestId: z.string(),
  at: timeAnswer,
  key: z.string(),
  wallet: z.string(),
  endpoint: z.enum(ENDPOINTS),
  user: z.string().nullable().describe("The member `user` of the call"),
  safetyIdentifier: z.string().nullable().describe("The member `safety_identifier` of the call"),
  tags: z.record(z.string(), z.string()).describe("Of the headers `X-Tag`, by name"),
  stream: z.boolean(),
  status: z.int().describe("HTTP status; 499 where the caller had left"),
  outcome: z.enum(OUTCOMES),
  errorCode: z.enum(codes).nullable(),
  model: z.string().nullable(),
  provider: z.string().nullable(),
  durationMs: z.number().min(0),
  firstByteMs: z.number().min(0).nullable(),
  inputTokens: countAnswer,
  cachedInputTokens: countAnswer,
  outputTokens: countAnswer,
  estimated: z.boolean(),
  charged: creditsAnswer,
};

/** A row of the request log. */
export const requestSummaryAnswer = z.strictObject(summary).meta({ id: "RequestSummary" });

/** Answer of `GET /requests`. */
export const requestListAnswer = z.strictObject({
  requests: z.array(requestSummaryAnswer),
  cursor: cursorAnswer.meta({
    description: "Pass it back for the next page; null on the last. Where it comes with fewer " +
      "requests than `limit`, the search stopped before it had read the whole log",
    example: null,
  }),
  start: z.string().nullable().describe(
    "Start of this page: with the other order it leads to the page before",
  ),
}).meta({ id: "RequestList" });

/** An event of `GET /requests/tail`. */
export const tailEventAnswer = z.union([
  requestSummaryAnswer,
  z.strictObject({ rows: countAnswer.describe("Rows that a slow reader missed") }),
]).meta({ id: "TailEvent" });

const attempt = z.strictObject({
  task: z.string().nullable(),
  model: z.string(),
  provider: z.string(),
  outcome: z.string(),
  status: z.int().nullable(),
  ms: z.number(),
});

const hold = z.strictObject({
  id: z.string(),
  model: z.string().nullable(),
  priceVersion: z.int().nullable(),
  state: z.enum(["settled", "voided", "expired", "open", "unknown"]),
  held: creditsAnswer.nullable(),
  heldAt: timeAnswer.nullable(),
  endedAt: timeAnswer.nullable(),
  charged: creditsAnswer.nullable(),
  returned: creditsAnswer.nullable(),
  writtenOff: creditsAnswer.nullable(),
  estimated: z.boolean().nullable(),
  recovered: z.boolean(),
  reason: z.string().nullable(),
});

const task = z.strictObject({
  taskId: z.string(),
  dependsOn: z.array(z.string()),
  status: orchestrationSchema.shape.tasks.element.shape.status,
  model: z.string().nullable(),
  provider: z.string().nullable(),
  startMs: z.number().nullable(),
  ms: z.number().nullable(),
  inputTokens: z.int(),
  cachedInputTokens: z.int(),
  outputTokens: z.int(),
  charged: creditsAnswer,
  attempts: z.array(attempt),
});

const timed = attempt.extend({ startMs: z.number().nullable() });

const settlement = z.strictObject({
  charged: creditsAnswer,
  complete: z.boolean().describe("True when every hold and its end were found"),
  holds: z.array(hold),
  entries: z.array(entryAnswer),
});

/** Answer of `GET /requests/{id}`. */
export const requestAnswer = z.strictObject({
  ...summary,
  usageProblems: z.array(z.strictObject({ model: z.string(), problem: z.string() })).describe(
    "Reports of usage that could not be true: their calls were charged as counted",
  ),
  routing: routing.nullable(),
  scores: z.array(z.strictObject({ model: z.string(), score: z.number() })),
  exclusions: z.array(z.strictObject({ model: z.string(), stage: z.string(), reason: z.string() })),
  attempts: routing.shape.attempts,
  timeline: z.array(timed.extend({
    words: z.string().nullable().describe(
      "The upstream's error message, without secrets and text of the request",
    ),
  })),
  holds: z.array(z.string()).describe("Ids of its holds in the journal"),
  settlement,
  tasks: z.array(task).nullable().describe("Of a request that was split"),
  feedback: z.array(z.strictObject({
    at: timeAnswer,
    key: z.string(),
    source: z.string(),
    score: z.number(),
    comment: z.string().nullable(),
  })).describe("Votes of callers on the answer, oldest first"),
  content: z.strictObject({ prompt: z.string(), answer: z.string(), isCut: z.boolean() })
    .nullable().describe("Only where it is logged for the key, with secrets removed"),
  isContentHidden: z.boolean().describe("True when it is logged, and the caller may not read it"),
}).meta({ id: "Request", description: "The route of a request, its reasons and its cost" });

const sums = {
  requests: countAnswer,
  inputTokens: countAnswer,
  cachedInputTokens: countAnswer,
  outputTokens: countAnswer,
  charged: creditsAnswer,
  writtenOff: creditsAnswer,
};

const usageOfDay = z.strictObject({ day: z.iso.date(), ...sums });
const usageOfModel = z.strictObject({ model: z.string(), ...sums });

const kind = z.enum(NAME_KINDS).describe(
  "`none`: of calls without the name. `other`: of all beyond the maximum of distinct names, " +
    `${NAMES_A_DAY} a day and ${NAMES_MAX} in all`,
);
const usageOfUser = z.strictObject({ user: z.string(), kind, ...sums });
const usageOfTag = z.strictObject({ value: z.string(), kind, ...sums });

/** Answer of `GET /usage`. */
export const usageAnswer = z.strictObject({
  by: grouping(["key", "model", "day", "user"]),
  usage: z.array(z.union([
    usageOfDay,
    usageOfModel,
    usageOfUser,
    usageOfTag,
    z.strictObject({ key: z.string(), name: z.string().optional(), ...sums }),
  ])),
  cursor: cursorAnswer,
}).meta({
  id: "Usage",
  description: "Days in their order; all others by cost, dearest first",
});

const ownSummary = requestSummaryAnswer.omit({ key: true, wallet: true });

/** Answer of `GET /api/v1/requests`. */
export const ownRequestListAnswer = requestListAnswer.extend({
  requests: z.array(ownSummary.meta({ id: "OwnRequestSummary" })),
}).meta({ id: "OwnRequestList" });

/**
 * Answer of `GET /api/v1/requests/{id}`: a request as the holder of its key sees it, without the
 * reasons and messages that are the operator's and without any text of the call.
 */
export const ownRequestAnswer = ownSummary.extend({
  ...requestAnswer.pick({ routing: true, attempts: true, tasks: true }).shape,
  timeline: z.array(timed),
  settlement: settlement.omit({ entries: true }),
}).meta({ id: "OwnRequest", description: "The route of a request and its cost" });

/** Answer of `GET /api/v1/usage`. */
export const ownUsageAnswer = usageAnswer.extend({
  by: grouping(["model", "day", "user"]),
  usage: z.array(z.union([usageOfDay, usageOfModel, usageOfUser, usageOfTag])),
}).meta({ id: "OwnUsage", description: "Days in their order; all others by cost, dearest first" });

/** Answer of `GET /service`. */
export const serviceAnswer = z.strictObject({
  version: z.string(),
  publicUrl: z.string().nullable().describe("Base URL that applications call"),
}).meta({ id: "Service" });
