import type { Endpoint, ErrorCode } from "@svc/sdk/protocol";
import type { z } from "zod";
import type { Right } from "../domain/operators/roles.ts";
import type { QueryFields } from "./query_fields.ts";

/** Media type of one JSON value a line. */
export const LINES_TYPE = "application/x-ndjson";

/**
 * One operation of the operator's API: the shapes of its request and answer, and its description.
 * The listener serves it, the OpenAPI document describes it and clients call it by this alone.
 */
export interface AdminOperation {
  /** Stable and unique: generated clients make it the name of a method. */
  readonly id: string;
  /** The right that a caller needs. */
  readonly right: Right;
  /**
   * Its entries in the audit log. `commit`: the store commits one with the change; `change`: one
   * before and one after, where no single commit has the change; `own`: the handler makes them;
   * `read` and `export`: one before the answer.
   *
   * @default {"none" for GET, "change" for others}
   */
  readonly trail?: "none" | "commit" | "change" | "own" | "read" | "export";
  /** Returns what the audit log has of a checked body; `undefined` for nothing. @default {all of it} */
  readonly logged?: (body: unknown) => unknown;
  readonly summary: string;
  readonly description?: string;
  /** Schemas of the query's fields; without it the query is not read. */
  readonly query?: (fields: QueryFields) => z.ZodRawShape;
  /** Headers that the request may carry. */
  readonly headers?: z.ZodObject;
  /** A JSON body. */
  readonly body?: z.ZodObject;
  /** Schema that describes the body where another component checks a part of it. @default {body} */
  readonly describedBody?: z.ZodObject;
  /** A body that fits the schema. */
  readonly example?: unknown;
  /** Media types of a body that is a file. */
  readonly uploads?: readonly string[];
  /** @default {200} */
  readonly status?: 201;
  /** The JSON answer. */
  readonly answer?: z.ZodType;
  /** One server-sent event of a streamed answer. */
  readonly events?: z.ZodType;
  /** One line of an answer of JSON lines. */
  readonly lines?: z.ZodType;
  /** Description of the answer in the OpenAPI document. @default {"The answer"} */
  readonly answerDescription?: string;
  /** A header of the answer besides the common ones. */
  readonly answerHeader?: "X-Ledger-Entries";
  /** Endpoints of the public listener whose refusals are passed on. */
  readonly passesOn?: readonly Endpoint[];
  /** Error codes besides those that follow from the path, the body and the store. */
  readonly codes?: readonly ErrorCode[];
}

/** The operations of one noun, by method and path below `/admin/v1`. */
export type AdminOperations = Readonly<
  Record<`${"GET" | "POST" | "DELETE"} /${string}`, AdminOperation>
>;
