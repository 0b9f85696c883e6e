/**
 * Histograms of latencies whose buckets grow with the latency, so that histograms add up and a
 * percentile has a bounded relative error.
 *
 * @module
 */

/** Ratio of a bucket's end to its beginning. */
const GROWTH = 1.08;
/** Each millisecond below this has its own bucket. */
const EXACT_MS = 14;
/** Longest distinct latency, in milliseconds: a day. */
const LONGEST_MS = 86_400_000;
const LOG_GROWTH = Math.log(GROWTH);
const FIRST = Math.log(EXACT_MS) / LOG_GROWTH;

/** Maximum relative error of a percentile. */
export const PERCENTILE_ERROR = 0.05;

/** Counts by bucket; absent buckets are empty. */
export type Histogram = Map<number, number>;

/** Returns the bucket of a latency in whole milliseconds. */
export function bucketOf(ms: number): number {
  if (!(ms > 0)) return 0;
  if (ms < EXACT_MS) return Math.round(ms);
  const bounded = Math.min(ms, LONGEST_MS);
  return EXACT_MS + Math.floor(Math.log(bounded) / LOG_GROWTH - FIRST + 1e-9);
}

/** Returns the representative latency of a bucket, in milliseconds. */
export function msOf(bucket: number): number {
  if (bucket < EXACT_MS) return bucket;
  // A whole number would be too far from the shortest latencies.
  return Math.round(10 * Math.exp((bucket - EXACT_MS + FIRST + 0.5) * LOG_GROWTH)) / 10;
}

/** Adds a number of observations to a bucket. */
export function count(histogram: Histogram, bucket: number, times = 1): void {
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + times);
}

/**
 * Returns the latency that the given part of the observations (`0.95`) does not exceed, in
 * milliseconds; `undefined` without observations.
 */
export function percentile(histogram: Histogram, part: number): number | undefined {
  let total = 0;
  for (const times of histogram.values()) total += times;
  if (total === 0) return undefined;
  let rank = Math.ceil(part * total);
  for (const bucket of [...histogram.keys()].sort((a, b) => a - b)) {
    rank -= histogram.get(bucket) ?? 0;
    if (rank <= 0) return msOf(bucket);
  }
  return undefined;
}
