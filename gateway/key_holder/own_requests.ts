import type { OwnAnswer, OwnQuery } from "../admin_api/key_holder.ts";
import { filterOf } from "../admin_api/request_filter.ts";
import { booksOf, detailJson, summaryJson } from "../admin/requests/request_json.ts";
import { ServiceFault } from "../domain/fault.ts";
import type { KeyRecord } from "../domain/policy/key.ts";
import { requestsNamed, severalRequests } from "../flows/request/named_requests.ts";
import type { RequestRecord } from "../ports/request_log.ts";
import type { KeyHolderDeps } from "./deps.ts";

type Summary = OwnAnswer<"requests">["requests"][number];

/** Returns a page of a key's requests. */
export async function ownRequestsJson(
  { id: keyId }: KeyRecord,
  query: OwnQuery<"requests">,
  { log }: KeyHolderDeps,
): Promise<OwnAnswer<"requests">> {
  const { order, limit, cursor } = query;
  const page = await log.search({ ...filterOf(query), keyId, order, limit, cursor });
  return {
    requests: page.records.map(ownSummary),
    cursor: page.cursor ?? null,
    start: page.start ?? null,
  };
}

/** Returns one request of a key, by the id of its row or as the caller named it. */
export async function ownRequestJson(
  { id: keyId }: KeyRecord,
  id: string,
  { log, ledger, clock }: KeyHolderDeps,
): Promise<OwnAnswer<"request">> {
  const records = await requestsNamed(id, { log, keyId, nowMs: clock.nowMs() });
  const [record] = records;
  if (record === undefined) {
    throw new ServiceFault("not_found", {
      message: "The key has no request of this id in the log; list its requests to find it",
      param: "id",
    });
  }
  if (records.length > 1) {
    const ids = records.map((one) => one.id);
    throw severalRequests(id, { ids, remedy: "ask with the id of one", param: "id" });
  }
  const { routing, attempts, timeline, settlement, tasks } = detailJson(
    record,
    await booksOf(record, ledger),
    [],
  );
  const { entries: _entries, ...bill } = settlement;
  return {
    ...ownSummary(record),
    ...{ routing, attempts, tasks },
    timeline: timeline.map(({ words: _words, ...attempt }) => attempt),
    settlement: bill,
  };
}

function ownSummary(record: RequestRecord): Summary {
  const { key: _key, wallet: _wallet, ...summary } = summaryJson(record);
  return summary;
}
