import { z } from "zod";
import { TOKEN_DAYS, TOKEN_DAYS_MAX } from "../../domain/operators/operator.ts";
import { GRANTS, ROLES } from "../../domain/operators/roles.ts";
import * as answers from "../answers/operators.ts";
import { strict } from "../fields.ts";
import { label } from "../label.ts";
import type { AdminOperations } from "../operation.ts";
import type { QueryFields } from "../query_fields.ts";

const role = z.enum(ROLES);
const grants = z.array(z.enum(GRANTS)).max(GRANTS.length).default([]);

const person = z.string().max(256).regex(
  /^sso:./,
  "Give the id of somebody who signed in, as sso:…",
)
  .describe("Id of the same person at the identity provider, so that both count as one");

/** Operators, their sessions, and the audit log. */
export const OPERATOR_OPERATIONS = {
  "GET /operators": {
    id: "listOperators",
    right: "operators",
    summary: "List the operators and the rights of each role",
    answer: answers.operatorListAnswer,
  },
  "POST /operators": {
    id: "createOperator",
    right: "operators",
    trail: "own",
    summary: "Create an operator",
    description: "Without a token. Nobody gives a right that they lack.",
    body: strict({ name: label(100), role, grants, person: person.optional() }),
    example: { name: "Kim", role: "support" },
    status: 201,
    answer: answers.operatorAnswer,
    codes: ["conflict"],
  },
  "GET /operators/me": {
    id: "getMe",
    right: "read",
    summary: "Show who calls, and their rights",
    answer: answers.meAnswer,
  },
  "GET /operators/{id}": {
    id: "getOperator",
    right: "operators",
    summary: "Show an operator",
    answer: answers.operatorAnswer,
  },
  "POST /operators/{id}/role": {
    id: "setOperatorRole",
    right: "operators",
    trail: "own",
    summary: "Give an operator another role and other grants",
    body: strict({ role, grants }),
    example: { role: "billing" },
    answer: answers.operatorAnswer,
    codes: ["conflict"],
  },
  "POST /operators/{id}/disable": {
    id: "disableOperator",
    right: "operators",
    trail: "own",
    summary: "Disable an operator: tokens and sessions end at once",
    answer: answers.operatorAnswer,
    codes: ["conflict"],
  },
  "POST /operators/{id}/enable": {
    id: "enableOperator",
    right: "operators",
    trail: "own",
    summary: "Enable a disabled operator",
    answer: answers.operatorAnswer,
    codes: ["conflict"],
  },
  "POST /operators/{id}/tokens": {
    id: "createOperatorToken",
    right: "operators",
    trail: "own",
    summary: "Create a token for an operator",
    body: strict({
      name: label(100),
      days: z.int().min(1).max(TOKEN_DAYS_MAX).default(TOKEN_DAYS).describe("Days of its life"),
    }),
    example: { name: "Laptop" },
    status: 201,
    answer: answers.newOperatorTokenAnswer,
    codes: ["conflict"],
  },
  "DELETE /operators/{id}/tokens/{tokenId}": {
    id: "revokeOperatorToken",
    right: "read",
    trail: "own",
    summary: "Revoke a token of an operator",
    description: "One's own, or with the right to manage operators that of others.",
    answer: answers.operatorAnswer,
    codes: ["policy_denied", "conflict"],
  },
  "DELETE /operators/{id}/sessions": {
    id: "endOperatorSessions",
    right: "operators",
    trail: "own",
    summary: "End all sessions of an operator",
    answer: answers.operatorAnswer,
    codes: ["conflict"],
  },
  "GET /sessions": {
    id: "listSessions",
    right: "operators",
    summary: "List the sessions of the console",
    answer: answers.sessionListAnswer,
  },
  "DELETE /sessions/{id}": {
    id: "endSession",
    right: "operators",
    trail: "commit",
    summary: "End a session of the console",
    answer: answers.endedAnswer,
  },
  "GET /audit": {
    id: "listAudit",
    right: "audit",
    summary: "Search the audit log, newest first",
    query: ({ text, time, page }: QueryFields) => ({
      who: text.describe("Id of an actor, or a part of a name"),
      action: text.describe("Id of an operation, or an event"),
      subject: text.describe("A part of the subject"),
      ...{ since: time, until: time },
      ...page,
    }),
    answer: answers.auditListAnswer,
  },
  "GET /audit/verify": {
    id: "verifyAudit",
    right: "audit",
    summary: "Recompute the chain of the audit log",
    answer: answers.auditVerifyAnswer,
  },
  "GET /audit/export": {
    id: "exportAudit",
    right: "audit",
    trail: "export",
    summary: "Export the audit log",
    description: "Every entry with its hash, oldest first, and a last line with `end`.",
    lines: answers.auditLineAnswer,
  },
} as const satisfies AdminOperations;
