/**
 * Latencies in buckets whose width grows with them, so that histograms add up and a percentile is
 * known to a fixed part of itself.
 *
 * @module
 */

/** Each bucket's end over its beginning. */
const GROWTH = 1.08;
/** Below this, in milliseconds, each has a bucket of its own. */
const EXACT_MS = 14;
/** Longest that is told apart, in milliseconds: a day. */
const LONGEST_MS = 86_400_000;
const LOG_GROWTH = Math.log(GROWTH);
const FIRST = Math.log(EXACT_MS) / LOG_GROWTH;

/** Most by which a percentile differs from a true value at its rank, as a part of that. */
export const PERCENTILE_ERROR = 0.05;

/** Counts by bucket; a bucket that is not in it is empty. */
export type Histogram = Map<number, number>;

/** The bucket of a time in whole milliseconds. */
export function bucketOf(ms: number): number {
  if (!(ms > 0)) return 0;
  if (ms < EXACT_MS) return Math.round(ms);
  const bounded = Math.min(ms, LONGEST_MS);
  return EXACT_MS + Math.floor(Math.log(bounded) / LOG_GROWTH - FIRST + 1e-9);
}

/** What stands for all times of a bucket, in milliseconds. */
export function msOf(bucket: number): number {
  if (bucket < EXACT_MS) return bucket;
  // A whole number would be too far from the shortest of them.
  return Math.round(10 * Math.exp((bucket - EXACT_MS + FIRST + 0.5) * LOG_GROWTH)) / 10;
}

/** Counts so many times into a bucket. */
export function count(histogram: Histogram, bucket: number, times = 1): void {
  histogram.set(bucket, (histogram.get(bucket) ?? 0) + times);
}

/** The time that so many of all do not exceed (`0.95`), in milliseconds; `undefined` where there is none. */
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
