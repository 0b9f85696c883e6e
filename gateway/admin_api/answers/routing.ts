/**
 * Answers about the learned statistics of routing.
 *
 * @module
 */

import { z } from "zod";
import { OUTCOME_SOURCES } from "../../domain/learning/statistics.ts";
import { countAnswer, creditsAnswer, cursorAnswer, timeAnswer } from "./parts.ts";
import { requestAnswer } from "./requests.ts";

const fraction = z.number().min(0).max(1);
const task = z.string().describe("Fingerprint: 16 hexadecimal digits");
const number = countAnswer.describe("Number of a snapshot; 0 before the first");

const quality = z.strictObject({
  p: fraction.describe("Estimated share of good answers"),
  error: z.number().min(0).describe("Standard error of `p`"),
  low: fraction.describe("Lower end of the 95 % interval"),
  high: fraction,
}).nullable();

const costs = {
  requests: countAnswer,
  charged: creditsAnswer,
  bestCharged: creditsAnswer.describe("Cost at the best allowed model"),
  cheapestCharged: creditsAnswer.describe("Cost at the cheapest allowed model"),
  quality: quality.describe(
    "Of the answers as they were divided among models; at a typical request",
  ),
};

const taskModel = {
  model: z.string(),
  requests: countAnswer,
  share: fraction.describe("Share of the task's requests"),
  charged: creditsAnswer,
  outcomes: countAnswer,
  quality: quality.describe("At a typical request; null for a model that the catalog lacks"),
};

const taskSummary = {
  task,
  wallet: z.string(),
  lastUsedAt: timeAnswer,
  ...costs,
  outcomes: countAnswer,
};

/** A task in the list. */
export const routingTaskSummaryAnswer = z.strictObject({
  ...taskSummary,
  models: z.array(z.strictObject(taskModel)).describe("Most requests first"),
}).meta({ id: "RoutingTaskSummary" });

/** Answer of `GET /routing/tasks`. */
export const routingTaskListAnswer = z.strictObject({
  snapshot: number,
  takenAt: timeAnswer.nullable(),
  totals: z.strictObject({
    ...costs,
    tasks: countAnswer,
    models: z.array(z.strictObject({
      model: z.string(),
      requests: countAnswer,
      share: fraction,
      charged: creditsAnswer,
    })),
  }),
  tasks: z.array(routingTaskSummaryAnswer).describe("Dearest first"),
  cursor: cursorAnswer,
}).meta({ id: "RoutingTaskList" });

const plan = z.strictObject({
  cheap: z.array(z.string()).describe("Asked in this order: two at once, then at most one more"),
  better: z.string().describe("Answers where no two of them agree"),
  quality: fraction.describe("Share of answers that equal those of the better model"),
  cost: z.number().min(0).describe("Cost beside calling the better model alone"),
  audits: countAnswer.describe("Audits that the record rests on"),
});

/** Answer of `GET /routing/tasks/{task}`. */
export const routingTaskAnswer = z.strictObject({
  ...taskSummary,
  snapshot: number,
  models: z.array(z.strictObject({
    ...taskModel,
    sources: z.array(z.strictObject({
      source: z.enum(OUTCOME_SOURCES),
      weight: z.number().min(0).describe("Sum of decayed weights; a recent vote weighs 1"),
      good: fraction.describe("Weighted share of good outcomes"),
    })),
  })),
  audits: countAnswer,
  plans: z.array(plan).describe(
    "Plans of verified answers, best record first: those of the task, else those of its wallet",
  ),
}).meta({ id: "RoutingTask" });

const snapshot = z.strictObject({ number, takenAt: timeAnswer });

/** Answer of `GET /routing/snapshots`, and of the operations that freeze. */
export const snapshotListAnswer = z.strictObject({
  inForce: number.describe("The snapshot that decides"),
  newest: number,
  frozen: number.nullable().describe("null where routing follows the newest"),
  snapshots: z.array(snapshot).describe("Stored snapshots, newest first"),
}).meta({ id: "RoutingSnapshots" });

/** Answer of `POST /routing/reset`. */
export const resetAnswer = z.strictObject({
  snapshot: number.describe("The newest snapshot, without what was removed"),
  wallets: countAnswer.describe("Wallets that lost statistics"),
  tasks: countAnswer.describe("Tasks removed"),
  frozen: number.nullable().describe("A frozen snapshot still decides, with what it holds"),
}).meta({ id: "RoutingReset" });

/** One line of an export. */
export const exportLineAnswer = z.looseObject({
  kind: z.enum(["snapshot", "wallet", "task", "sample", "audit", "plan", "end"]),
}).meta({
  id: "RoutingExportLine",
  description: "Part of a snapshot; the last line is of the kind `end`",
});

const planKind = requestAnswer.shape.routing.unwrap().shape.plan.unwrap();

/** Answer of `GET /routing/requests/{id}`. */
export const explanationAnswer = z.strictObject({
  id: z.string().describe("Of the row of the log"),
  requestId: z.string(),
  at: timeAnswer,
  wallet: z.string(),
  model: z.string().nullable(),
  reason: z.string().nullable(),
  plan: planKind.nullable(),
  task: task.nullable(),
  dial: fraction.nullable(),
  targetShare: fraction.nullable().describe(
    "Share of the cost of always-best that the dial targets",
  ),
  difficulty: fraction.nullable(),
  p: fraction.nullable(),
  pError: z.number().nullable(),
  outcomes: countAnswer.nullable(),
  snapshot: number.nullable(),
  recomputed: z.boolean().describe(
    "True where the snapshot is still stored: then the estimates of all candidates follow from it " +
      "and from the catalog of that time",
  ),
  candidates: z.array(z.strictObject({
    model: z.string(),
    isChosen: z.boolean(),
    score: z.number().nullable().describe("Value as it was compared, from the log"),
    quality: fraction.nullable().describe("By the catalog of that time"),
    p: fraction.nullable(),
    pError: z.number().nullable(),
    outcomes: countAnswer.nullable(),
  })).describe("In the order of the plan; the log keeps the best eight"),
  exclusions: requestAnswer.shape.exclusions,
}).meta({ id: "RoutingExplanation" });

const replay = z.strictObject({
  cost: creditsAnswer,
  costShare: z.number().min(0).describe("Share of the cost of always-best"),
  quality,
  models: z.array(z.strictObject({ model: z.string(), samples: countAnswer, share: fraction })),
});

/** Answer of `GET /routing/replay`. */
export const replayAnswer = z.strictObject({
  wallet: z.string().nullable().describe("null: all wallets, each by its own statistics"),
  samples: countAnswer,
  dial: fraction,
  dialInForce: fraction.describe("By the catalog; tiers and keys may set another"),
  targetShare: fraction,
  tried: replay,
  inForce: replay,
  best: replay.describe(
    "Always the best allowed model as far as is known: on record, else by the catalog",
  ),
  cheapest: replay,
  curve: z.array(z.strictObject({
    dial: fraction,
    costShare: z.number().min(0),
    quality,
  })).describe("From economy to best"),
}).meta({
  id: "RoutingReplay",
  description: "Recorded decisions, repeated at another position of the dial",
});

/** Answer of `GET /routing/audit-budget`. */
export const auditBudgetAnswer = z.strictObject({
  credits: creditsAnswer.describe("The daily budget"),
  auditCredits: creditsAnswer.nullable().describe("Cost of one audit; null without traffic"),
  basis: z.enum(["audits", "samples"]).nullable().describe(
    "Measured in audits, or estimated from the prices of recorded requests",
  ),
  requestsPerDay: countAnswer.describe("Requests of the last 24 hours"),
  auditsPerDay: countAnswer.nullable(),
  limit: z.enum(["budget", "share"]).nullable().describe(
    "The bound that decides: the budget, or the highest share of requests that may be audited",
  ),
  errorAfterWeek: z.number().nullable().describe("Standard error of a quality after seven days"),
}).meta({ id: "AuditBudget" });
