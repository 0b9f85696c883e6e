/**
 * Columns of a row of the request log, by which searches filter.
 *
 * @module
 */

import { parseCredits } from "../../../domain/ledger/money.ts";
import { modelsOf, providersOf } from "../../../domain/requests/filter.ts";
import type { RequestFilter, RequestRecord } from "../../../ports/request_log.ts";
import { encodeRecord } from "../../kv/log/log_line.ts";
import { textId } from "../text_id.ts";

/** Returns a record as JSON. One that is too long loses its longest parts. */
export function lineOf(record: RequestRecord): string {
  return encodeRecord(record).text;
}

/** Returns the columns of a row. */
export function logRow(record: RequestRecord, number: number) {
  const { routing } = record;
  return {
    ...{ number, id: textId(record.id), at_ms: Math.floor(record.atMs) },
    ...{ request_id: textId(record.requestId), key_id: textId(record.keyId) },
    ...{ wallet_id: textId(record.walletId), charged: `${parseCredits(record.charged) ?? 0n}` },
    task: routing?.task === undefined ? null : textId(routing.task),
    ...{ facets: facetsOf(record), line: lineOf(record) },
  };
}

/** Returns the facets of a row: what it has of the values that few rows differ in. */
function facetsOf(record: RequestRecord): readonly string[] {
  const { endpoint, outcome, status, errorCode } = record;
  return [
    facet("endpoint", endpoint),
    facet("outcome", outcome),
    facet("status", `${status}`),
    facet("status", classOfStatus(`${status}`)),
    ...errorCode === undefined ? [] : [facet("error", errorCode)],
    ...modelsOf(record).map((model) => facet("model", model)),
    ...providersOf(record).map((provider) => facet("provider", provider)),
  ];
}

/** Returns the facets that all matches of a filter have. */
export function facetsFor(filter: RequestFilter): readonly string[] {
  const { endpoint, outcome, errorCode, status, model, provider } = filter;
  const wanted: readonly (readonly [string, string | undefined])[] = [
    ["endpoint", endpoint],
    ["outcome", outcome],
    ["error", errorCode],
    ["status", status?.endsWith("xx") ? classOfStatus(status) : status],
    ["model", model],
    ["provider", provider],
  ];
  return wanted.flatMap(([kind, value]) => value === undefined ? [] : [facet(kind, value)]);
}

function facet(kind: string, value: string): string {
  return `${kind} ${textId(value)}`;
}

function classOfStatus(status: string): string {
  return `${status[0] ?? ""}xx`;
}
