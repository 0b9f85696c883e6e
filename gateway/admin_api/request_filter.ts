import { z } from "zod";
import { TAG_NAME, TAG_PATTERN, USER_CHARS_MAX } from "../domain/requests/attribution.ts";
import { ENDPOINTS } from "../domain/requests/endpoints.ts";
import { OUTCOMES } from "../domain/requests/record.ts";
import type { RequestFilter } from "../ports/request_log.ts";
import { creditsText } from "./credits_text.ts";
import { taskText } from "./fields.ts";
import type { QueryFields } from "./query_fields.ts";
import { parseCredits } from "../domain/ledger/money.ts";

const tagName = z.string().regex(new RegExp(`^${TAG_NAME}$`));

/** Query fields that select calls by the names that their callers gave them. */
export const nameFields = {
  tag: z.string().regex(TAG_PATTERN, "Give a tag as name=value").optional().meta({
    description: "A tag of the call",
    example: "team=search",
  }),
  user: z.string().min(1).max(USER_CHARS_MAX).optional()
    .describe(
      "The call's `user`; or its `safety_identifier`, for sums only where it has no `user`",
    ),
};

/** Returns the schema of a grouping: one of some words, or `tag:` with the name of a tag. */
export function grouping<const Words extends readonly string[]>(words: Words) {
  return z.union([z.enum(words), z.templateLiteral(["tag:", tagName])]);
}

const status = z.string().regex(/^[1-5](?:\d\d|xx)$/, "Give a status as 429, or a class as 4xx");

/** Returns the query fields that select requests, of the list and of the live tail. */
export function filterFields({ time, text }: QueryFields) {
  return {
    id: text,
    request_id: text,
    key: text,
    model: text,
    provider: text,
    task: taskText.optional(),
    endpoint: z.enum(ENDPOINTS).optional(),
    ...nameFields,
    outcome: z.enum(OUTCOMES).optional(),
    status: status.optional(),
    error: text,
    min_charged: creditsText.optional(),
    q: text,
    since: time,
    until: time,
  };
}

type FilterQuery = z.output<z.ZodObject<ReturnType<typeof filterFields>>>;

/** Returns the filter of a query. */
export function filterOf(query: FilterQuery): RequestFilter {
  return {
    id: query.id,
    requestId: query.request_id,
    keyId: query.key,
    model: query.model,
    provider: query.provider,
    task: query.task,
    endpoint: query.endpoint,
    tag: query.tag,
    user: query.user,
    outcome: query.outcome,
    errorCode: query.error,
    status: query.status,
    minCharged: query.min_charged === undefined ? undefined : parseCredits(query.min_charged),
    text: query.q,
    sinceMs: query.since,
    untilMs: query.until,
  };
}
