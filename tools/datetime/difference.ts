import { isoText } from "./describe.ts";
import type { Duration, Moment } from "./temporal.ts";

/** The time between two moments in the tool's output. */
export interface DifferenceText {
  /** ISO 8601 with the offset. */
  readonly from: string;
  /** ISO 8601 with the offset. */
  readonly until: string;
  /** ISO 8601, in calendar units; negative where `until` is before `from`. */
  readonly duration: string;
  /** The duration in words. */
  readonly text: string;
  /** Days of the calendar, some of which have 23 or 25 hours. */
  readonly total_days: number;
  /** Elapsed hours. */
  readonly total_hours: number;
  /** Elapsed seconds. */
  readonly total_seconds: number;
}

const UNITS = ["years", "months", "days", "hours", "minutes", "seconds"] as const;

/** Returns the time from one moment to another. */
export function describeDifference(from: Moment, until: Moment): DifferenceText {
  const duration = from.until(until, { largestUnit: "years" });
  const seconds = (until.epochMilliseconds - from.epochMilliseconds) / 1_000;
  return {
    from: isoText(from),
    until: isoText(until),
    duration: duration.toString(),
    text: inWords(duration),
    total_days: duration.total({ unit: "days", relativeTo: from }),
    total_hours: seconds / 3_600,
    total_seconds: seconds,
  };
}

function inWords(duration: Duration): string {
  const { milliseconds, sign } = duration;
  const parts = UNITS.flatMap((unit) => {
    const whole = Math.abs(duration[unit]);
    // One division, so that the nearest number results.
    const count = unit === "seconds" ? (whole * 1e3 + Math.abs(milliseconds)) / 1e3 : whole;
    return count === 0 ? [] : [`${count} ${count === 1 ? unit.slice(0, -1) : unit}`];
  });
  if (parts.length === 0) return "none";
  return sign < 0 ? `${parts.join(", ")} earlier` : parts.join(", ");
}
