/**
 * The operations by which the holder of a key sees the key's own records, on the public listener.
 * Their shapes are those of the operator's API, without what belongs to others.
 *
 * @module
 */

import { z } from "zod";
import { PUBLIC_PATHS } from "../http/public_paths.ts";
import type { Answer } from "./answer.ts";
import { ownKeyAnswer, signInLinkAnswer } from "./answers/keys.ts";
import { ownRequestAnswer, ownRequestListAnswer, ownUsageAnswer } from "./answers/requests.ts";
import type { AdminOperation } from "./operation.ts";
import type { QueryFields } from "./query_fields.ts";
import { filterFields, grouping, nameFields } from "./request_filter.ts";

/** Days that a sum of usage may reach back. */
export const USAGE_DAYS_MAX = 93;
/** Days that a sum of usage without `since` reaches back. */
export const USAGE_DAYS = 30;
/** Requests for its own records that a key may send a minute. */
export const OWN_READS_PER_MINUTE = 120;

/** An operation of a key's holder, with a JSON answer. */
export interface KeyHolderOperation
  extends Required<Pick<AdminOperation, "id" | "summary" | "answer">> {
  readonly path: string;
  /** @default {"GET"} */
  readonly method?: "POST";
  readonly description?: string;
  readonly query?: (fields: QueryFields) => z.ZodRawShape;
  readonly codes?: AdminOperation["codes"];
}

/** The operations by name. */
export const KEY_HOLDER_OPERATIONS = {
  key: {
    path: PUBLIC_PATHS.ownKey,
    id: "getOwnKey",
    summary: "Show the key: its policy, and what is left of its limits",
    description: "`wallet` is null where the key's policy hides it.",
    answer: ownKeyAnswer,
  },
  signInLink: {
    path: PUBLIC_PATHS.ownSignInLink,
    method: "POST",
    id: "createOwnSignInLink",
    summary: "Make a link that signs a person in to the key's own pages",
    description: "The pages at `/me` only read. The link works once, for ten minutes; give it to " +
      "those who may see the key's records. Not found where the operator has switched them off.",
    answer: signInLinkAnswer,
    codes: ["not_found"],
  },
  usage: {
    path: PUBLIC_PATHS.ownUsage,
    id: "getOwnUsage",
    summary: "Sum the key's tokens and credits",
    description: `Of the last ${USAGE_DAYS} days without \`since\`, and of the last ` +
      `${USAGE_DAYS_MAX} at most.`,
    query: ({ time, page }: QueryFields) => ({
      by: grouping(["day", "model", "user"]).default("day"),
      ...nameFields,
      since: time,
      until: time,
      ...page,
    }),
    answer: ownUsageAnswer,
  },
  requests: {
    path: PUBLIC_PATHS.ownRequests,
    id: "listOwnRequests",
    summary: "Search the key's requests",
    query: (fields: QueryFields) => {
      const { key: _key, task: _task, ...filter } = filterFields(fields);
      return { ...filter, order: z.enum(["newest", "oldest"]).default("newest"), ...fields.page };
    },
    answer: ownRequestListAnswer,
  },
  request: {
    path: PUBLIC_PATHS.ownRequest,
    id: "getOwnRequest",
    summary: "Show one of the key's requests: its route, its bill, its tasks",
    description: "By the `log_…` id of its row, or by its `X-Request-ID`. Where several requests " +
      "have that, `log_ids` of the `error` names their rows. It never has text of the call. A " +
      "request of another key answers like one that does not exist.",
    answer: ownRequestAnswer,
    codes: ["not_found", "conflict"],
  },
} as const satisfies Readonly<Record<string, KeyHolderOperation>>;

type Operations = typeof KEY_HOLDER_OPERATIONS;

/** Name of an operation of a key's holder. */
export type KeyHolderName = keyof Operations;

/** The answer of an operation. */
export type OwnAnswer<Name extends KeyHolderName> = Answer<Operations[Name]["answer"]>;

/** The query of an operation as its handler has it, checked and with defaults. */
export type OwnQuery<Name extends "usage" | "requests"> = z.output<
  z.ZodObject<ReturnType<Operations[Name]["query"]>, z.core.$strict>
>;
