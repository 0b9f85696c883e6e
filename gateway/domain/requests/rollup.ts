/**
 * Sums over requests, which add up: minutes to hours, hours to months.
 *
 * @module
 */

import { bucketOf, count, type Histogram } from "./histogram.ts";
import type { ErrorCode } from "@svc/sdk/protocol";
import type { RequestRecord } from "./record.ts";
import type { Micros } from "../ledger/money.ts";
import { NO_MODEL, type RequestPart } from "./parts.ts";

export { NO_MODEL };

/** Maximum number of keys in a sum; all others are counted under {@linkcode OTHERS}. */
export const ROLLUP_KEYS_MAX = 250;
/** Maximum number of models in a sum. */
export const ROLLUP_MODELS_MAX = 40;
/** Maximum number of endings in a sum. */
export const ROLLUP_ENDINGS_MAX = 60;
/** Stands for all keys, models or endings beyond the maximum. */
export const OTHERS = "*";

/**
 * Class of an ending. `ok`; `disconnected`: the caller disconnected; `refused`: an error of the request,
 * 4xx; `failed`: an error of the service or the provider.
 */
export type EndingClass = "ok" | "disconnected" | "refused" | "failed";

/** The summed fields of a part of a request. */
export type RolledPart = Omit<RequestPart, "provider">;

/** The summed fields of a request; `model` is that of its answer. */
export interface RolledRow extends RolledPart {
  readonly keyId: string;
  /** Ending as text, see {@linkcode endingOf}. */
  readonly ending: string;
  readonly kind: EndingClass;
  readonly firstByteMs: number | undefined;
  /** Parts of a split request; they add up to the whole. */
  readonly parts?: readonly RolledPart[] | undefined;
}

/** Counts, tokens and money of some requests. */
export interface Sums {
  requests: number;
  refused: number;
  failed: number;
  disconnected: number;
  charged: Micros;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
}

/**
 * Sums of requests in total and by key, model and ending. A split request counts once for each
 * model that had a part in it, and each model is charged its own parts.
 */
export interface Rollup extends Sums {
  /** Durations of all requests except refused ones, whose durations are no latencies. */
  readonly durations: Histogram;
  readonly firstBytes: Histogram;
  readonly keys: Map<string, Sums>;
  readonly models: Map<string, Sums & { readonly durations: Histogram }>;
  /** Requests by ending. */
  readonly endings: Map<string, number>;
}

/** Returns the ending of a request as text: outcome, status, code. */
export function endingOf(
  { outcome, status, errorCode }: {
    readonly outcome: string;
    readonly status: number;
    readonly errorCode?: string | undefined;
  },
): string {
  return `${outcome} ${status} ${errorCode ?? ""}`;
}

/** Parses a text of {@linkcode endingOf}; other text gives no fields. */
export function readEnding(ending: string): {
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

/** Returns the class of an ending. */
export function classOf(ending: string): EndingClass {
  const { outcome, status } = readEnding(ending);
  if (outcome === "ok") return "ok";
  if (outcome === "client_left") return "disconnected";
  return outcome === "error" && status < 500 ? "refused" : "failed";
}

/** Returns the sums of no requests. */
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

/** Adds a request. */
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

/** Adds a part to the sums of its model. */
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
  to.disconnected += from.disconnected;
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

/** Returns the name to count under: the name itself, or {@linkcode OTHERS} beyond the maximum. */
function nameIn(all: ReadonlyMap<string, unknown>, name: string, most: number): string {
  return all.has(name) || all.size < most ? name : OTHERS;
}

function madeIn<T>(all: Map<string, T>, name: string, make: () => T): T {
  const existing = all.get(name);
  if (existing !== undefined) return existing;
  const created = make();
  all.set(name, created);
  return created;
}

function emptyModel(): Sums & { readonly durations: Histogram } {
  return { ...emptySums(), durations: new Map() };
}

function emptySums(): Sums {
  return {
    requests: 0,
    refused: 0,
    failed: 0,
    disconnected: 0,
    charged: 0n,
    inputTokens: 0,
    cachedInputTokens: 0,
    outputTokens: 0,
  };
}
