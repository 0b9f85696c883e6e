import { ServiceFault } from "../../domain/fault.ts";
import type { RequestRecord } from "../../ports/request_log.ts";
import type { AdminApp, AdminContext, AdminDeps } from "../deps.ts";
import { filterOf } from "../../admin_api/request_filter.ts";
import { detailJson, summaryJson } from "./request_json.ts";
import { readQuery } from "../request_query.ts";
import { RequestTails } from "./request_tail.ts";
import { resource, segment } from "../resource.ts";
import { requestsQuery } from "../../admin_api/schemas/requests.ts";

/** `/requests`: what callers asked for, where it went and what it cost. */
export function serveRequests(app: AdminApp, deps: AdminDeps): void {
  const tails = new RequestTails(deps);
  resource(app, "/requests", { GET: (context) => searchRequests(context, deps) });
  resource(app, "/requests/tail", { GET: (context) => tails.open(context) });
  resource(app, "/requests/:id", { GET: (context) => showRequest(context, deps) });
}

async function searchRequests(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const query = readQuery(context, deps, requestsQuery);
  const { order, limit, cursor } = query;
  const page = await deps.log.search({ ...filterOf(query), order, limit, cursor });
  return context.json({
    requests: page.records.map(summaryJson),
    cursor: page.cursor ?? null,
    start: page.start ?? null,
  });
}

/** One request by the id of its row, else the newest of a request id. */
async function showRequest(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const id = segment(context, "id");
  const record = await deps.log.get(id) ?? await newestOf(id, deps);
  if (record === undefined) {
    throw new ServiceFault("not_found", { message: `There is no request "${id}"` });
  }
  const { holdIds, atMs, durationMs } = record;
  const books = holdIds.length === 0 ? { entries: [], isComplete: true } : await deps.ledger
    .entriesOf({ logId: record.id, holdIds, sinceMs: atMs, untilMs: atMs + durationMs });
  return context.json(detailJson(record, books));
}

/** The newest request of an id: a page of a long log may end before it comes to where that is. */
async function newestOf(requestId: string, { log }: AdminDeps): Promise<RequestRecord | undefined> {
  let cursor: string | undefined;
  do {
    const page = await log.search({ requestId, limit: 1, cursor });
    if (page.records[0] !== undefined) return page.records[0];
    cursor = page.cursor;
  } while (cursor !== undefined);
  return undefined;
}
