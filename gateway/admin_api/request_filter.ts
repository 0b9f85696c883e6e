import { z } from "zod";
import { ENDPOINTS } from "../domain/requests/endpoints.ts";
import { OUTCOMES } from "../domain/requests/record.ts";
import type { RequestFilter } from "../ports/request_log.ts";
import { creditsText } from "./credits_text.ts";
import { taskText } from "./fields.ts";
import type { QueryFields } from "./query_fields.ts";
import { parseCredits } from "../domain/ledger/money.ts";

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
    outcome: query.outcome,
    errorCode: query.error,
    status: query.status,
    minCharged: query.min_charged === undefined ? undefined : parseCredits(query.min_charged),
    text: query.q,
    sinceMs: query.since,
    untilMs: query.until,
  };
}
