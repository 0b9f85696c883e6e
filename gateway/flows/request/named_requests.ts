/**
 * The requests that an id of a caller names: the id of a row, or the one that the caller chose, which
 * several requests may have.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { RequestLog, RequestQuery, RequestRecord } from "../../ports/request_log.ts";
import { idTimeMs } from "../../system/rng.ts";

/** Maximum number of requests of one id that are looked at. */
const MATCHES_MAX = 20;
/** Maximum number of ids that a message names. */
const NAMED_MAX = 8;

/** The log, and the owner of the requests. */
export interface NamedRequestsOptions extends Pick<RequestQuery, "keyId" | "walletId"> {
  readonly log: Pick<RequestLog, "search">;
  readonly nowMs: number;
  /** Start of the time to search, in Unix milliseconds. @default {the whole log} */
  readonly sinceMs?: number | undefined;
}

/**
 * Returns the requests of an owner that an id names. A request of another owner and one that does
 * not exist lead to the same searches.
 */
export async function requestsNamed(
  id: string,
  { log, nowMs, sinceMs = 0, ...owner }: NamedRequestsOptions,
): Promise<readonly RequestRecord[]> {
  if (id.startsWith("log_")) {
    const rows = await search(log, { id, ...owner, sinceMs, order: "oldest", limit: 1 });
    if (rows.length > 0) return rows;
  }
  // No request has an id of the gateway before the gateway made it.
  const madeMs = id.startsWith("req_") ? idTimeMs(id) : undefined;
  const fromMs = madeMs === undefined || madeMs > nowMs ? sinceMs : Math.max(sinceMs, madeMs);
  return await search(log, { requestId: id, ...owner, sinceMs: fromMs, limit: MATCHES_MAX });
}

/** Returns the refusal of an id that several requests have, with the ids of their rows. */
export function severalRequests(
  requestId: string,
  { ids, remedy, param }: {
    readonly ids: readonly string[];
    readonly remedy: string;
    readonly param: string;
  },
): ServiceFault {
  const named = `${ids.slice(0, NAMED_MAX).join(", ")}${ids.length > NAMED_MAX ? ", …" : ""}`;
  return new ServiceFault("conflict", {
    message: `${ids.length} requests have the id ${JSON.stringify(requestId)}; ${remedy}: ${named}`,
    param,
    members: { log_ids: ids },
    headers: { "x-should-retry": "false" },
  });
}

/** Reads until the limit; a page of a long log may end before. */
async function search(
  log: Pick<RequestLog, "search">,
  query: RequestQuery,
): Promise<readonly RequestRecord[]> {
  const records: RequestRecord[] = [];
  let cursor: string | undefined;
  do {
    const page = await log.search({ ...query, cursor });
    records.push(...page.records);
    cursor = page.cursor;
  } while (cursor !== undefined && records.length < query.limit);
  return records;
}
