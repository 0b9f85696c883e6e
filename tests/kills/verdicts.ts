/**
 * The comparison of the books with the results of clients and the counts of the provider.
 *
 * @module
 */

import { type Books, type HoldHistory, microsOf } from "./books.ts";
import type { Sighting } from "./calls.ts";
import { priceOf, type UpstreamCall } from "./counting_upstream.ts";

/** The evidence to compare. */
export interface Evidence {
  readonly books: Books;
  /** Results that clients had reported when the books were read. */
  readonly sightings: readonly Sighting[];
  readonly calls: readonly UpstreamCall[];
  /** Number of calls that had arrived at the provider when the books were read. */
  readonly callsBefore: number;
  /** Unix time of each start of the service, in milliseconds. */
  readonly startsMs: readonly number[];
  /** Budgets of keys by id, in micros. */
  readonly budgets: ReadonlyMap<string, bigint>;
  /** Ids of keys, by the names that request ids begin with. */
  readonly keyIds: ReadonlyMap<string, string>;
}

/** The result of a comparison, empty if the books are right. */
export interface Verdict {
  /** Amount charged or held beyond a hold, a budget, a wallet, or the count of the provider. */
  overspentMicros: bigint;
  /** Missing holds and settlements, and settlements that are too small: a sentence each. */
  readonly lost: string[];
  /** Duplicate calls, holds and settlements, and ones that are too large: a sentence each. */
  readonly doubled: string[];
  /** Overspent amounts: a sentence each. */
  readonly overspent: string[];
}

/** Compares the evidence. Holds of the running process may be open. */
export function judge(evidence: Evidence): Verdict {
  const verdict: Verdict = { overspentMicros: 0n, lost: [], doubled: [], overspent: [] };
  judgeJournal(evidence, verdict);
  const calls = callsById(evidence, verdict);
  const rows = rowsById(evidence, verdict);
  judgeRows(evidence, calls, verdict);
  for (const sighting of evidence.sightings) {
    judgeSighting(sighting, { row: rows.get(sighting.requestId), calls, verdict });
  }
  const logged = new Set(rows.keys());
  judgeOrphans(evidence, { calls, logged }, verdict);
  judgeHolds(evidence, logged, verdict);
  return verdict;
}

/** Returns holds that a start of the service read as open, and that have ended since. */
export function orphansOf({ books, startsMs }: Evidence): HoldHistory[] {
  return [...books.holds.values()].filter(({ atMs, endings: [ending] }) =>
    ending !== undefined && lifeAt(startsMs, ending.atMs) > lifeAt(startsMs, atMs)
  );
}

/** Returns the number of the process that ran at a time. */
function lifeAt(startsMs: readonly number[], atMs: number): number {
  return startsMs.findLastIndex((startMs) => startMs <= atMs);
}

function overspend(verdict: Verdict, micros: bigint, what: string): void {
  if (micros <= 0n) return;
  verdict.overspentMicros += micros;
  verdict.overspent.push(`${what}: ${micros} micro-credits too much`);
}

/** Checks every wallet and every budget after every step. */
function judgeJournal({ books, budgets }: Evidence, verdict: Verdict): void {
  const used = new Map<string, bigint>();
  for (const [wallet, steps] of books.steps) {
    let available = 0n;
    for (const { kind, id, key, micros } of steps) {
      const held = books.holds.get(id)?.held ?? 0n;
      const change = kind === "credit" ? micros : kind === "hold" ? -micros : held - micros;
      if (kind === "open") continue;
      available += change;
      overspend(verdict, -available, `Wallet ${wallet} after ${kind} ${id}`);
      const budget = budgets.get(key);
      if (budget === undefined) continue;
      const sum = (used.get(key) ?? 0n) - change;
      used.set(key, sum);
      overspend(verdict, sum - budget, `Key ${key} after ${kind} ${id}`);
    }
  }
  for (const { id, held, endings } of books.holds.values()) {
    if (endings.length > 1) verdict.doubled.push(`Hold ${id} ended ${endings.length} times`);
    for (const { micros } of endings) overspend(verdict, micros - held, `Hold ${id}`);
  }
}

function callsById({ calls }: Evidence, verdict: Verdict): Map<string, UpstreamCall> {
  const byId = new Map<string, UpstreamCall>();
  for (const call of calls) {
    if (byId.has(call.requestId)) verdict.doubled.push(`Request ${call.requestId} went out twice`);
    byId.set(call.requestId, call);
  }
  return byId;
}

interface Charged {
  readonly charged: bigint;
  readonly outcome: string;
}

function rowsById({ books }: Evidence, verdict: Verdict): Map<string, Charged> {
  const byId = new Map<string, Charged>();
  for (const { requestId, charged, outcome } of books.rows.values()) {
    if (byId.has(requestId)) verdict.doubled.push(`Request ${requestId} has two rows`);
    byId.set(requestId, { charged: microsOf(charged), outcome });
  }
  return byId;
}

/**
 * Checks that the log matches the charges, and that no charge exceeds the count of the provider.
 */
function judgeRows(
  { books }: Evidence,
  calls: ReadonlyMap<string, UpstreamCall>,
  verdict: Verdict,
): void {
  for (const { id, requestId, charged } of books.rows.values()) {
    const logged = microsOf(charged);
    const booked = books.chargedFor(id);
    const what = `Request ${requestId} was logged with ${logged} and charged ${booked}`;
    if (booked < logged) verdict.lost.push(what);
    if (booked > logged) verdict.doubled.push(what);
    const call = calls.get(requestId);
    overspend(verdict, booked - (call === undefined ? 0n : priceOf(call)), `Request ${requestId}`);
  }
}

/**
 * Checks that a bill that a client received is in the books, and that received output was charged.
 */
function judgeSighting(
  sighting: Sighting,
  context: {
    readonly row: Charged | undefined;
    readonly calls: ReadonlyMap<string, UpstreamCall>;
    readonly verdict: Verdict;
  },
): void {
  const { row, calls, verdict } = context;
  const { requestId, ending, words } = sighting;
  const call = calls.get(requestId);
  const booked = row?.charged ?? 0n;
  if (ending === "complete" && sighting.charged === undefined) {
    verdict.lost.push(`Request ${requestId} was answered without a bill`);
  }
  if (sighting.charged !== undefined) {
    const bill = microsOf(sighting.charged);
    const what = `Request ${requestId} was billed ${bill} and charged ${booked}`;
    if (booked < bill || row === undefined) verdict.lost.push(what);
    if (booked > bill) verdict.doubled.push(what);
  }
  if (row === undefined || row.outcome === "killed") return;
  // If the gateway had time to settle, all received output is charged.
  const got = call === undefined ? 0n : priceOf({ ...call, outputTokens: words });
  const due = ending === "complete" && call !== undefined ? priceOf(call) : got;
  if (booked < due) {
    verdict.lost.push(`Request ${requestId} got what costs ${due} and was charged ${booked}`);
  }
}

/**
 * Checks calls in flight when the service died. No row tells which request a hold was for, but the
 * charges of a key in that process must each match a call of that key and process with at least
 * that price.
 */
function judgeOrphans(
  evidence: Evidence,
  known: { readonly calls: ReadonlyMap<string, UpstreamCall>; readonly logged: Set<string> },
  verdict: Verdict,
): void {
  const { books, startsMs, keyIds } = evidence;
  const groupOf = (key: string, atMs: number) => `${key} in life ${lifeAt(startsMs, atMs)}`;
  const charges = new Map<string, bigint[]>();
  for (const { key, log, atMs, endings: [ending] } of books.holds.values()) {
    if (ending === undefined || ending.micros === 0n || books.rows.has(log)) continue;
    // The row was written after the rows were read.
    if (lifeAt(startsMs, atMs) === startsMs.length - 1) continue;
    gather(charges, groupOf(key, atMs), ending.micros);
  }
  const worth = new Map<string, bigint[]>();
  for (const call of known.calls.values()) {
    if (known.logged.has(call.requestId)) continue;
    gather(worth, groupOf(keyOf(call, keyIds), call.atMs), priceOf(call));
  }
  for (const [group, charged] of charges) {
    const counted = (worth.get(group) ?? []).sort(descending);
    for (const [at, micros] of charged.sort(descending).entries()) {
      overspend(verdict, micros - (counted[at] ?? 0n), `A request of ${group}`);
    }
  }
}

/** Checks that no call was made without a hold. The owners of holds without a row are known. */
function judgeHolds(
  { books, calls, callsBefore, keyIds }: Evidence,
  logged: ReadonlySet<string>,
  verdict: Verdict,
): void {
  const holds = Map.groupBy(books.holds.values(), ({ key }) => key);
  const unlogged = calls.slice(0, callsBefore).filter(({ requestId }) => !logged.has(requestId));
  for (const [key, sent] of Map.groupBy(unlogged, (call) => keyOf(call, keyIds))) {
    const held = (holds.get(key) ?? []).filter(({ log }) => !books.rows.has(log));
    if (held.length >= sent.length) continue;
    verdict.lost.push(`${sent.length} calls of ${key} went out under ${held.length} holds`);
  }
}

function keyOf({ requestId }: UpstreamCall, keyIds: Evidence["keyIds"]): string {
  return keyIds.get(requestId.split("/")[0] ?? "") ?? requestId;
}

function gather(groups: Map<string, bigint[]>, name: string, micros: bigint): void {
  const group = groups.get(name);
  if (group === undefined) groups.set(name, [micros]);
  else group.push(micros);
}

function descending(a: bigint, b: bigint): number {
  return a < b ? 1 : a > b ? -1 : 0;
}
