/**
 * Sums over requests, which add up: of a minute to those of an hour, of an hour to those of a month.
 *
 * @module
 */

import { bucketOf, count, type Histogram } from "./histogram.ts";
import type { ErrorCode } from "@svc/sdk/protocol";
import type { RequestRecord } from "./record.ts";
import type { Micros } from "../ledger/money.ts";
import { NO_MODEL, type RequestPart } from "./parts.ts";

export { NO_MODEL };

/** Most keys that a sum names; what others came to is under {@linkcode OTHERS}. */
export const ROLLUP_KEYS_MAX = 250;
/** Most models, likewise. */
export const ROLLUP_MODELS_MAX = 40;
/** Most kinds of ending, likewise. */
export const ROLLUP_ENDINGS_MAX = 60;
/** Stands for all keys, models or endings that have no name of their own in a sum. */
export const OTHERS = "*";

/**
 * `ok`; `left`: the caller did not wait for the end; `refused`: the request's own fault, a 4xx;
 * `failed`: the service's or the provider's.
 */
export type EndingClass = "ok" | "left" | "refused" | "failed";

/** The summed fields of a request's part. */
export type RolledPart = Omit<RequestPart, "provider">;

/** The summed fields of a request; `model` is that of its answer. */
export interface RolledRow extends RolledPart {
  readonly keyId: string;
  /** As {@linkcode endingOf} writes it, and what kind that is. */
  readonly ending: string;
  readonly kind: EndingClass;
  readonly firstByteMs: number | undefined;
  /** Its parts, where it was split; they add up to it. */
  readonly parts?: readonly RolledPart[] | undefined;
}

/** Counts, tokens and money of some requests. */
export interface Sums {
  requests: number;
  refused: number;
  failed: number;
  left: number;
  charged: Micros;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
}

/**
 * The sums of some requests, and of each of their keys, models and endings. A split request counts once
 * for each model that had a part in it, and each is charged its own parts.
 */
export interface Rollup extends Sums {
  /** Of all but those that were refused: a refusal is no latency. */
  readonly durations: Histogram;
  readonly firstBytes: Histogram;
  readonly keys: Map<string, Sums>;
  readonly models: Map<string, Sums & { readonly durations: Histogram }>;
  /** Requests by how they ended. */
  readonly endings: Map<string, number>;
}

/** How a request ended, as one text: outcome, status, code. */
export function endingOf(
  { outcome, status, errorCode }: {
    readonly outcome: string;
    readonly status: number;
    readonly errorCode?: string | undefined;
  },
): string {
  return `${outcome} ${status} ${errorCode ?? ""}`;
}

/** Reads what {@linkcode endingOf} wrote; of others nothing is known. */
export function readEnding(
  ending: string,
): {
  readonly outcome: RequestRecord["outcome"];
  readonly status: number;
  readonly errorCode: ErrorCode | "";
} {
  const [outcome = "", status = "", errorCode = ""] = ending.split(" ");
  return {
    outcome: outcome as RequestRecord["outcome"],
    status: Number(status) || 0,
    errorCode: errorCode as ErrorCode | "",
  };
}

/** What kind of ending it is. */
export function classOf(ending: string): EndingClass {
  const { outcome, status } = readEnding(ending);
  if (outcome === "ok") return "ok";
  if (outcome === "client_left") return "left";
  return outcome === "error" && status < 500 ? "refused" : "failed";
}

/** No requests. */
export function emptyRollup(): Rollup {
  return {
    ...emptySums(),
    durations: new Map(),
    firstBytes: new Map(),
    keys: new Map(),
    models: new Map(),
    endings: new Map(),
  };
}

/** Counts a request in. */
export function addRow(rollup: Rollup, row: RolledRow): void {
  const { kind } = row;
  const key = named(rollup.keys, row.keyId, { most: ROLLUP_KEYS_MAX, make: emptySums });
  for (const sums of [rollup, key]) {
    countRequest(sums, kind);
    addUse(sums, row);
  }
  if (row.parts === undefined) countRequest(addPart(rollup, row, kind), kind);
  else {
    const models = new Set(row.parts.map((part) => addPart(rollup, part, kind)));
    for (const model of models) countRequest(model, kind);
  }
  const ending = nameIn(rollup.endings, row.ending, ROLLUP_ENDINGS_MAX);
  rollup.endings.set(ending, (rollup.endings.get(ending) ?? 0) + 1);
  if (kind === "refused") return;
  count(rollup.durations, bucketOf(row.durationMs));
  if (row.firstByteMs !== undefined) count(rollup.firstBytes, bucketOf(row.firstByteMs));
}

/** Adds a part to what its model came to. */
function addPart(rollup: Rollup, part: RolledPart, kind: EndingClass): Sums {
  const model = named(rollup.models, part.model, { most: ROLLUP_MODELS_MAX, make: emptyModel });
  addUse(model, part);
  if (kind !== "refused") count(model.durations, bucketOf(part.durationMs));
  return model;
}

/** Adds one sum to another. */
export function addRollup(to: Rollup, from: Rollup): void {
  addSums(to, from);
  addHistogram(to.durations, from.durations);
  addHistogram(to.firstBytes, from.firstBytes);
  for (const [name, sums] of from.keys) addSums(madeIn(to.keys, name, emptySums), sums);
  for (const [name, model] of from.models) {
    const sum = madeIn(to.models, name, emptyModel);
    addSums(sum, model);
    addHistogram(sum.durations, model.durations);
  }
  for (const [name, times] of from.endings) {
    to.endings.set(name, (to.endings.get(name) ?? 0) + times);
  }
}

function countRequest(sums: Sums, kind: EndingClass): void {
  sums.requests++;
  if (kind !== "ok") sums[kind]++;
}

function addUse(sums: Sums, part: RolledPart): void {
  sums.charged += part.charged;
  sums.inputTokens += part.inputTokens;
  sums.cachedInputTokens += part.cachedInputTokens;
  sums.outputTokens += part.outputTokens;
}

function addSums(to: Sums, from: Sums): void {
  to.requests += from.requests;
  to.refused += from.refused;
  to.failed += from.failed;
  to.left += from.left;
  to.charged += from.charged;
  to.inputTokens += from.inputTokens;
  to.cachedInputTokens += from.cachedInputTokens;
  to.outputTokens += from.outputTokens;
}

function addHistogram(to: Histogram, from: Histogram): void {
  for (const [bucket, times] of from) count(to, bucket, times);
}

function named<T>(
  all: Map<string, T>,
  name: string,
  { most, make }: { readonly most: number; readonly make: () => T },
): T {
  return madeIn(all, nameIn(all, name, most), make);
}

/** The name under which something is counted: that of all others where there are too many. */
function nameIn(all: ReadonlyMap<string, unknown>, name: string, most: number): string {
  return all.has(name) || all.size < most ? name : OTHERS;
}

function madeIn<T>(all: Map<string, T>, name: string, make: () => T): T {
  const known = all.get(name);
  if (known !== undefined) return known;
  const made = make();
  all.set(name, made);
  return made;
}

function emptyModel(): Sums & { readonly durations: Histogram } {
  return { ...emptySums(), durations: new Map() };
}

function emptySums(): Sums {
  return {
    requests: 0,
    refused: 0,
    failed: 0,
    left: 0,
    charged: 0n,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
  };
}
