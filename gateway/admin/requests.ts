import { z } from "zod";
import { ServiceFault } from "../domain/fault.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import type { AdminApp, AdminContext, AdminDeps } from "./deps.ts";
import { readQuery } from "./request_query.ts";
import { resource, segment } from "./resource.ts";

const status = z.string().regex(/^[1-5](?:\d\d|xx)$/, "Give a status as 429, or a class as 4xx");

/** `/requests`: what callers asked for, where it went and what it cost. */
export function serveRequests(app: AdminApp, deps: AdminDeps): void {
  resource(app, "/requests", { GET: (context) => searchRequests(context, deps) });
  resource(app, "/requests/:id", { GET: (context) => showRequest(context, deps) });
}

async function searchRequests(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const query = readQuery(context, deps, ({ time, limit, cursor, text }) => ({
    request_id: text,
    key: text,
    status: status.optional(),
    since: time,
    until: time,
    limit,
    cursor,
  }));
  const { records, cursor } = await deps.log.search({
    requestId: query.request_id,
    keyId: query.key,
    status: query.status,
    sinceMs: query.since,
    untilMs: query.until,
    limit: query.limit,
    cursor: query.cursor,
  });
  return context.json({ requests: records.map(summaryJson), cursor: cursor ?? null });
}

/** One request by the id of its row, else the newest of a request id. */
async function showRequest(context: AdminContext, deps: AdminDeps): Promise<Response> {
  const id = segment(context, "id");
  const record = await deps.log.get(id) ??
    (await deps.log.search({ requestId: id, limit: 1 })).records[0];
  if (record === undefined) {
    throw new ServiceFault("not_found", { message: `There is no request "${id}"` });
  }
  return context.json({
    ...summaryJson(record),
    routing: record.routing ?? null,
    exclusions: record.exclusions ?? [],
    attempts: record.routing?.attempts ?? [],
    holds: record.holdIds,
  });
}

function summaryJson(record: RequestRecord): Record<string, unknown> {
  return {
    id: record.id,
    requestId: record.requestId,
    at: new Date(record.atMs).toISOString(),
    key: record.keyId,
    wallet: record.walletId,
    endpoint: record.endpoint,
    stream: record.stream,
    status: record.status,
    outcome: record.outcome,
    errorCode: record.errorCode ?? null,
    model: record.routing?.model ?? null,
    provider: record.routing?.provider ?? null,
    durationMs: record.durationMs,
    firstByteMs: record.firstByteMs ?? null,
    inputTokens: record.inputTokens,
    cachedInputTokens: record.cachedInputTokens,
    outputTokens: record.outputTokens,
    estimated: record.estimated,
    charged: record.charged,
  };
}
