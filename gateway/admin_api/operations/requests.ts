import { z } from "zod";
import { overviewAnswer } from "../answers/overview.ts";
import * as answers from "../answers/requests.ts";
import type { AdminOperations } from "../operation.ts";
import type { QueryFields } from "../query_fields.ts";
import { filterFields, grouping, nameFields } from "../request_filter.ts";

/** The request log, sums over it, and the service itself. */
export const REQUEST_OPERATIONS = {
  "GET /requests": {
    id: "listRequests",
    right: "read",
    summary: "Search the request log",
    query: (fields: QueryFields) => ({
      ...filterFields(fields),
      order: z.enum(["newest", "oldest"]).default("newest"),
      ...fields.page,
    }),
    answer: answers.requestListAnswer,
  },
  "GET /requests/tail": {
    id: "tailRequests",
    right: "read",
    summary: "Follow the request log",
    description: "A stream of server-sent events: `request`, with a row as it is written, and " +
      "`lost`, with how many a slow reader has missed.",
    query: filterFields,
    events: answers.tailEventAnswer,
  },
  "GET /requests/{id}": {
    id: "getRequest",
    right: "read",
    summary: "Show one request: its route, its bill",
    description: "By the id of its row, or the newest of an `X-Request-ID`.",
    answer: answers.requestAnswer,
  },
  "GET /overview": {
    id: "getOverview",
    right: "read",
    summary: "Sum the requests of a time, and show how the upstreams are",
    query: ({ time }: QueryFields) => ({
      since: time,
      until: time,
      step: z.string().regex(/^\d{1,4}[smhdw]$/, "Give a duration, as 5m, 1h or 1d").optional(),
      by: z.enum(["model", "key"]).optional().describe(
        "Splits each step of the series up; the dearest eight have names",
      ),
    }),
    answer: overviewAnswer,
  },
  "GET /usage": {
    id: "getUsage",
    right: "read",
    summary: "Sum tokens and credits",
    query: ({ time, page }: QueryFields) => ({
      by: grouping(["key", "model", "day", "user"]).default("day"),
      ...nameFields,
      since: time,
      until: time,
      ...page,
    }),
    answer: answers.usageAnswer,
  },
  "GET /service": {
    id: "getService",
    right: "read",
    summary: "Show what runs, and where applications call it",
    answer: answers.serviceAnswer,
  },
} as const satisfies AdminOperations;
