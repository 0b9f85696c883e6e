import { z } from "zod";
import { dialOf } from "../../domain/routing/dial.ts";
import { errorEnvelopeSchema } from "../../http/schemas/error.ts";
import * as answers from "../answers/routing.ts";
import { CREDITS_PATTERN } from "../credits_text.ts";
import { strict, taskText } from "../fields.ts";
import type { AdminOperations } from "../operation.ts";
import type { QueryFields } from "../query_fields.ts";

const snapshotNumber = z.string().regex(/^[1-9]\d{0,14}$/, "Give the number of a snapshot")
  .transform(Number)
  .meta({ override: { type: "integer", minimum: 1 } });

const dial = z.string().transform((text, issues) => {
  const position = dialOf(text);
  if (position !== undefined) return position;
  issues.addIssue({ code: "custom", message: "Give a number from 0 to 1, or a name of the dial" });
  return z.NEVER;
}).meta({
  description: "Position between cost (0, `economy`) and quality (1, `best`); the one in force " +
    "where it is left out",
  example: "0.7",
  override: { type: "string" },
});

/** The learned statistics of routing. */
export const ROUTING_OPERATIONS = {
  "GET /routing/tasks": {
    id: "listRoutingTasks",
    right: "read",
    summary: "List the tasks that routing learns about",
    description: "With requests, share by model, estimated quality and cost. A task is known by " +
      "its fingerprint only: no text of prompts is stored.",
    query: ({ text, page }: QueryFields) => ({ wallet: text, ...page }),
    answer: answers.routingTaskListAnswer,
    codes: ["not_found"],
  },
  "GET /routing/tasks/{task}": {
    id: "getRoutingTask",
    right: "read",
    summary: "Show a task with its outcomes and plans",
    description: "By its fingerprint, or the first 8 digits of it or more.",
    answer: answers.routingTaskAnswer,
    codes: ["conflict"],
  },
  "GET /routing/requests/{id}": {
    id: "explainRequest",
    right: "read",
    summary: "Explain the routing decision of a request",
    description: "By the id of its row, or by its `X-Request-ID`; where several have that, the " +
      "refusal names the ids of their rows.",
    answer: answers.explanationAnswer,
    codes: ["conflict"],
  },
  "GET /routing/snapshots": {
    id: "listRoutingSnapshots",
    right: "read",
    summary: "List the snapshots of the statistics",
    query: () => ({}),
    answer: answers.snapshotListAnswer,
  },
  "POST /routing/freeze": {
    id: "freezeRouting",
    right: "routing",
    trail: "commit",
    summary: "Route by one snapshot from now on",
    description: "It is never removed while it is frozen. Statistics are collected meanwhile.",
    body: strict({
      snapshot: z.int().positive().optional().describe("The newest where it is left out"),
    }),
    example: { snapshot: 1204 },
    answer: answers.snapshotListAnswer,
    codes: ["not_found"],
  },
  "POST /routing/unfreeze": {
    id: "unfreezeRouting",
    right: "routing",
    trail: "commit",
    summary: "Follow the newest snapshot again",
    body: strict({}),
    answer: answers.snapshotListAnswer,
  },
  "POST /routing/reset": {
    id: "resetRouting",
    right: "routing",
    trail: "commit",
    summary: "Remove learned statistics",
    description:
      "Of one task, of a wallet, or of all. What was collected until then does not come " +
      "back. Earlier snapshots, a frozen one among them, stay as they are.",
    body: strict({ wallet: z.string().min(1).max(256).optional(), task: taskText.optional() }),
    example: { wallet: "team" },
    answer: answers.resetAnswer,
    codes: ["not_found", "conflict"],
  },
  "GET /routing/export": {
    id: "exportRouting",
    right: "read",
    trail: "export",
    summary: "Send everything of a snapshot, one JSON value a line",
    description: "The same snapshot gives the same bytes. The last line is of the kind `end`: an " +
      "export without it was cut.",
    query: () => ({
      snapshot: snapshotNumber.optional().describe("The newest where it is left out"),
    }),
    lines: z.union([answers.exportLineAnswer, errorEnvelopeSchema]),
    codes: ["not_found"],
  },
  "GET /routing/replay": {
    id: "replayRouting",
    right: "read",
    summary: "Try the dial on recorded decisions",
    query: ({ text }: QueryFields) => ({ dial: dial.optional(), wallet: text }),
    answer: answers.replayAnswer,
    codes: ["not_found"],
  },
  "GET /routing/audit-budget": {
    id: "planAuditBudget",
    right: "read",
    summary: "Show what a daily budget of audits buys",
    query: () => ({
      credits: z.string().regex(new RegExp(CREDITS_PATTERN), "Give credits, as 5 or 0.50").meta({
        description: "The daily budget",
        example: "5",
      }),
    }),
    answer: answers.auditBudgetAnswer,
  },
} as const satisfies AdminOperations;
