/**
 * The widths of the sums of the request log, and the choice of one for an overview.
 *
 * @module
 */

import { SERIES_POINTS, SERIES_POINTS_MAX, SUM_LEVELS } from "../limits.ts";

/** Narrowest sums. */
export const MINUTE_MS = 60_000;

/** Width of sums and the time for which they are stored, in milliseconds. */
export type SumLevel = typeof SUM_LEVELS[number];

/** Time range of an overview. */
export interface OverviewRange {
  readonly sinceMs: number;
  readonly untilMs: number;
  readonly stepMs?: number | undefined;
}

/**
 * Selects the narrowest sums that reach back far enough and are not too many. Steps that consist
 * of complete wider sums use those, which are fewer, unless the range ends within an expired one.
 */
export function sumLevelFor({ sinceMs, untilMs, stepMs }: OverviewRange, nowMs: number): SumLevel {
  const [coarsest] = SUM_LEVELS.slice(-1);
  const levels = SUM_LEVELS.filter(({ widthMs, keptMs }) =>
    sinceMs >= nowMs - keptMs && (untilMs - sinceMs) / widthMs <= SERIES_POINTS_MAX
  );
  const isNow = untilMs > nowMs - MINUTE_MS;
  const wide = levels.findLast(({ widthMs }) =>
    stepMs !== undefined && stepMs % widthMs === 0 && (isNow || untilMs % widthMs === 0)
  );
  return wide ?? levels[0] ?? coarsest ?? { widthMs: MINUTE_MS, keptMs: 0 };
}

/** Returns a time rounded down to a width. */
export function startOf(atMs: number, widthMs: number): number {
  return Math.floor(atMs / widthMs) * widthMs;
}

/** Returns the requested step in whole widths, else one with few points. Never too small. */
export function sumStepOf({ sinceMs, untilMs, stepMs }: OverviewRange, widthMs: number): number {
  const spanMs = untilMs - sinceMs;
  const leastMs = spanMs / (stepMs === undefined ? SERIES_POINTS : SERIES_POINTS_MAX);
  return Math.max(1, Math.ceil(Math.max(stepMs ?? 0, leastMs) / widthMs)) * widthMs;
}
