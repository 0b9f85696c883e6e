/**
 * Columns of a row of the request log, by which searches filter.
 *
 * @module
 */

import { parseCredits } from "../../../domain/ledger/money.ts";
import type { Attribution } from "../../../domain/requests/attribution.ts";
import { modelsOf, providersOf } from "../../../domain/requests/filter.ts";
import type { RequestFilter, RequestRecord } from "../../../ports/request_log.ts";
import { encodeRecord } from "../../kv/log/log_line.ts";
import { textId } from "../text_id.ts";

/** Facets of tags, and of users: a part of the log has all that its rows have. */
const NAME_BUCKETS = 256;

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
    ...record.attribution === undefined ? [] : namesOf(record.attribution),
  ];
}

/** Returns the facets of the names that a caller gave, of which there may be any number. */
function namesOf({ user, safetyIdentifier, tags }: Attribution): readonly string[] {
  const users = [user, safetyIdentifier].filter((name) => name !== undefined);
  return [
    ...new Set([
      ...users.map((name) => bucket("user", name)),
      ...tags?.split(",").map((tag) => bucket("tag", tag)) ?? [],
    ]),
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
  const { tag, user } = filter;
  return [
    ...wanted.flatMap(([kind, value]) => value === undefined ? [] : [facet(kind, value)]),
    ...tag === undefined ? [] : [bucket("tag", tag)],
    ...user === undefined ? [] : [bucket("user", user)],
  ];
}

function facet(kind: string, value: string): string {
  return `${kind} ${textId(value)}`;
}

/** Returns one of a few facets for names without number; those of a match are compared. */
function bucket(kind: string, name: string): string {
  let hash = 0x811c_9dc5;
  for (let at = 0; at < name.length; at++) {
    hash = Math.imul(hash ^ name.charCodeAt(at), 0x0100_0193);
  }
  return `${kind} ${(hash >>> 0) % NAME_BUCKETS}`;
}

function classOfStatus(status: string): string {
  return `${status[0] ?? ""}xx`;
}
