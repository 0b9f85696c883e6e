/**
 * What operations of the operator's API have in common.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import type { z } from "zod";
import { strict } from "../admin_api/fields.ts";
import { type QueryFields, queryFields } from "../admin_api/query_fields.ts";
import type { Content, Operation, Reply } from "./operation.ts";

/** Media type of nearly all answers. */
export const JSON_TYPE = "application/json";
/** Of whatever asks the store. */
export const STORE: ErrorCode = "store_unavailable";

/** What differs from an operation that answers 200 with JSON and needs the store. */
interface Described {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly query?: (fields: QueryFields) => z.ZodRawShape;
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodType;
  readonly example?: unknown;
  readonly status?: 201;
  readonly answer: z.ZodType;
  /** Media type of the answer. @default {JSON_TYPE} */
  readonly media?: string;
  readonly codes?: readonly ErrorCode[];
}

/** The operations of one noun: their method and address, and what they do. */
export function noun(
  tag: string,
  described: Readonly<Record<`${"GET" | "POST" | "DELETE"} /${string}`, Described>>,
): Operation[] {
  return Object.entries(described).map(([target, operation]) => {
    const [method = "", path = ""] = target.split(" ");
    const { id, summary, description, query, headers, body, example, status, answer } = operation;
    const content: Content = { schema: answer };
    return {
      method: method === "GET" ? "get" : method === "POST" ? "post" : "delete",
      path: `/admin/v1${path}`,
      tag,
      access: "token",
      ...{ id, summary },
      ...description === undefined ? {} : { description },
      ...query === undefined ? {} : { query: strict(query(queryFields(0))) },
      ...headers === undefined ? {} : { headers },
      ...body === undefined ? {} : { body: { [JSON_TYPE]: { schema: body, example } } },
      replies: { [status ?? 200]: reply({ [operation.media ?? JSON_TYPE]: content }) },
      codes: operation.codes ?? [STORE],
    };
  });
}

/** An answer that no cache keeps. */
export function reply(content: NonNullable<Reply["content"]>): Reply {
  return { description: "The answer", content, headers: ["Cache-Control"] };
}

/** Of whatever its address names. */
export const FOUND: readonly ErrorCode[] = [STORE, "not_found"];
/** Of what is changed and may be in another state. */
export const CHANGED: readonly ErrorCode[] = [...FOUND, "conflict"];
