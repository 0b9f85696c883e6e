import type { Reading } from "../page.ts";

const HOUR_MS = 3_600_000;

/** Times that are one click away, in milliseconds. */
export const SPANS_MS = {
  "1h": HOUR_MS,
  "24h": 24 * HOUR_MS,
  "7d": 7 * 24 * HOUR_MS,
  "30d": 30 * 24 * HOUR_MS,
} as const;

/** A time that is one click away. */
export type Span = keyof typeof SPANS_MS;

/** The time that a page is about. */
export interface TimeRange {
  /** `own`: from one moment to another; `any`: all there is. */
  readonly choice: Span | "own" | "any";
  readonly sinceMs?: number | undefined;
  /** Left out: until now. */
  readonly untilMs?: number | undefined;
}

/** Every span, shortest first. */
export const SPANS: readonly Span[] = ["1h", "24h", "7d", "30d"];

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?$/;
const ZONE = /^(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * The time that the query names: `range=24h`, or `range=own` with `since` and `until` as a browser's
 * field has them, in the zone of `zone` (UTC where a script has not put in the reader's own).
 */
export function readRange(
  { query, nowMs }: Pick<Reading, "query" | "nowMs">,
  otherwise: Span | "any",
): TimeRange {
  const wanted = query.get("range");
  const span = SPANS.find((each) => each === wanted);
  if (span !== undefined) return { choice: span, sinceMs: nowMs - SPANS_MS[span] };
  // Without a script times are entered without a choice beside them.
  if (wanted === "own" || wanted === null || wanted === "") {
    const zone = query.get("zone") ?? "Z";
    const [sinceMs, untilMs] = [
      readTime(query.get("since"), zone),
      readTime(query.get("until"), zone),
    ];
    if (sinceMs !== undefined || untilMs !== undefined) return { choice: "own", sinceMs, untilMs };
  }
  return otherwise === "any"
    ? { choice: "any" }
    : { choice: otherwise, sinceMs: nowMs - SPANS_MS[otherwise] };
}

/** The fields of a query that lead to the same time on another page. */
export function rangeQuery({ query }: Pick<Reading, "query">): Record<string, string> {
  const names = ["range", "since", "until", "zone"];
  return Object.fromEntries(
    [...query].filter(([name, value]) => names.includes(name) && value !== ""),
  );
}

function readTime(text: string | null, zone: string): number | undefined {
  if (text === null || !LOCAL_TIME.test(text) || !ZONE.test(zone)) return undefined;
  const timeMs = Date.parse(`${text}${zone}`);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}
