import type { AnswerOf } from "../../admin_api/operations.ts";
import { filterOf } from "../../admin_api/request_filter.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { RequestRecord } from "../../ports/request_log.ts";
import type { AdminContext, AdminDeps } from "../deps.ts";
import { authorOf } from "../operators/author.ts";
import type { Handlers } from "../routes.ts";
import { overviewJson } from "./overview.ts";
import { booksOf, detailJson, summaryJson } from "./request_json.ts";
import { RequestTails } from "./request_tail.ts";
import { usageJson } from "./usage.ts";

/** Handlers of the request log and of the sums over it. */
export function requestHandlers(deps: AdminDeps) {
  const tails = new RequestTails(deps);
  return {
    "GET /requests": async ({ query }) => {
      const fields = query();
      const { order, limit, cursor } = fields;
      const page = await deps.log.search({ ...filterOf(fields), order, limit, cursor });
      return {
        requests: page.records.map(summaryJson),
        cursor: page.cursor ?? null,
        start: page.start ?? null,
      };
    },
    "GET /requests/tail": ({ context, mayGoOn, query }) =>
      tails.open(context, { filter: filterOf(query()), mayGoOn }),
    "GET /requests/{id}": ({ context, path }) => readRequest(context, path.id, deps),
    "GET /overview": ({ query }) => overviewJson(query(), deps),
    "GET /usage": ({ query }) => usageJson(query(), deps),
  } satisfies Partial<Handlers>;
}

/**
 * Returns one request. Its logged texts, and the comments of callers, are only for actors with the
 * right to read them, and every such reading is in the audit log before the answer.
 */
async function readRequest(
  context: AdminContext,
  id: string,
  deps: AdminDeps,
): Promise<AnswerOf<"GET /requests/{id}">> {
  const request = await requestJson(id, deps);
  const hasComments = request.feedback.some(({ comment }) => comment !== null);
  if (request.content === null && !hasComments) return request;
  if (!context.get("actor").rights.includes("content")) {
    const feedback = request.feedback.map((vote) => ({ ...vote, comment: null }));
    return { ...request, feedback, content: null, isContentHidden: true };
  }
  const author = authorOf(context);
  await deps.trail.note({ author, action: "readContent", subject: `/requests/${request.id}` });
  return request;
}

/** Returns one request by the id of its row, else the newest of a request id. */
async function requestJson(id: string, deps: AdminDeps): Promise<AnswerOf<"GET /requests/{id}">> {
  const record = await deps.log.get(id) ?? await newestOf(id, deps);
  if (record === undefined) {
    throw new ServiceFault("not_found", { message: `There is no request "${id}"` });
  }
  return detailJson(record, await booksOf(record, deps.ledger), await deps.votes.of(record.id));
}

/** Returns the newest request of an id. A page of a long log may end before it reaches that. */
async function newestOf(requestId: string, { log }: AdminDeps): Promise<RequestRecord | undefined> {
  let cursor: string | undefined;
  do {
    const page = await log.search({ requestId, limit: 1, cursor });
    if (page.records[0] !== undefined) return page.records[0];
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}
