import type { Histogram } from "../../../domain/requests/histogram.ts";
import {
  addRollup,
  emptyRollup,
  OTHERS,
  type Rollup,
  type Sums,
} from "../../../domain/requests/rollup.ts";
import { SUMS_BYTES_MAX } from "../limits.ts";
import { bytesOf, textOf } from "../rows.ts";

/** Stored sums: of all requests in log segments up to `to`. */
export interface KeptSums {
  to: number;
  readonly rollup: Rollup;
}

type SumsJson = [number, number, number, number, string, number, number, number];
type HistogramJson = [number, number][];
interface RollupJson {
  readonly to: number;
  readonly sums: SumsJson;
  readonly durations: HistogramJson;
  readonly firstBytes: HistogramJson;
  readonly keys: [string, SumsJson][];
  readonly models: [string, SumsJson, HistogramJson][];
  readonly endings: [string, number][];
}

/** Encodes sums; if they are too long, fewer keys keep their name. */
export function encodeSums({ to, rollup }: KeptSums): Uint8Array {
  for (let most = rollup.keys.size;; most = Math.floor(most / 2)) {
    const value = bytesOf(JSON.stringify(jsonOf(to, withKeys(rollup, most))));
    if (value.length <= SUMS_BYTES_MAX || most === 0) return value;
  }
}

/** Decodes the result of {@linkcode encodeSums}. */
export function decodeSums(value: Uint8Array): KeptSums {
  const { to, ...json } = JSON.parse(textOf(value)) as RollupJson;
  const rollup: Rollup = {
    ...readSums(json.sums),
    durations: new Map(json.durations),
    firstBytes: new Map(json.firstBytes),
    keys: new Map(json.keys.map(([name, sums]) => [name, readSums(sums)])),
    models: new Map(json.models.map(([name, sums, durations]) => [
      name,
      { ...readSums(sums), durations: new Map(durations) },
    ])),
    endings: new Map(json.endings),
  };
  return { to, rollup };
}

function jsonOf(to: number, rollup: Rollup): RollupJson {
  return {
    to,
    sums: writeSums(rollup),
    durations: writeHistogram(rollup.durations),
    firstBytes: writeHistogram(rollup.firstBytes),
    keys: [...rollup.keys].map(([name, sums]) => [name, writeSums(sums)]),
    models: [...rollup.models].map(([name, { durations, ...sums }]) => [
      name,
      writeSums(sums),
      writeHistogram(durations),
    ]),
    endings: [...rollup.endings],
  };
}

/** Returns the sums with the most active keys by name and the others merged. */
function withKeys(rollup: Rollup, most: number): Rollup {
  if (most >= rollup.keys.size) return rollup;
  const sorted = [...rollup.keys].sort(([, a], [, b]) => b.requests - a.requests);
  const others = emptyRollup();
  for (const [name, sums] of sorted) {
    if (others.keys.size < most && name !== OTHERS) others.keys.set(name, sums);
    else addRollup(others, { ...emptyRollup(), keys: new Map([[OTHERS, sums]]) });
  }
  return { ...rollup, keys: others.keys };
}

function writeSums(sums: Sums): SumsJson {
  const { requests, refused, failed, disconnected, charged } = sums;
  const { inputTokens, cachedInputTokens, outputTokens } = sums;
  const tokens = [inputTokens, cachedInputTokens, outputTokens] as const;
  return [requests, refused, failed, disconnected, charged.toString(), ...tokens];
}

function readSums(json: SumsJson): Sums {
  const [
    requests,
    refused,
    failed,
    disconnected,
    charged,
    inputTokens,
    cachedInputTokens,
    outputTokens,
  ] = json;
  return {
    ...{ requests, refused, failed, disconnected, charged: BigInt(charged) },
    ...{ inputTokens, cachedInputTokens, outputTokens },
  };
}

function writeHistogram(histogram: Histogram): HistogramJson {
  return [...histogram];
}
