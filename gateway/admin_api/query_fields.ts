import { z } from "zod";

/** Maximum number of entries on one page. */
export const PAGE_LIMIT = 500;
/** Number of entries on a page without `limit`. */
export const DEFAULT_PAGE = 50;

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const DURATION = /^(\d{1,6})([smhdw])$/;
/**
 * The place where a page begins: in the journal or the request log of a file a segment and a line,
 * in all other lists a letter for the kind of place, and the place.
 */
const CURSOR = /^(?:\d{1,15}\.\d{1,9}|[a-z]\.[A-Za-z0-9_-]{1,2000})$/;
const ISO_TIME =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?$/;

/**
 * Parses a time: ISO 8601 (`2026-11-21`, `2026-11-21T08:00:00Z`; UTC where it names no zone), or a
 * duration before now (`24h`, `7d`). Returns `undefined` for any other text.
 */
export function parseTime(text: string, nowMs: number): number | undefined {
  const duration = DURATION.exec(text);
  if (duration !== null) return nowMs - Number(duration[1]) * (UNIT_MS[duration[2] ?? ""] ?? 0);
  if (!ISO_TIME.test(text)) return undefined;
  const zoned = /T.*(?:Z|[+-]\d{2}:\d{2})$/.test(text) || !text.includes("T") ? text : `${text}Z`;
  const timeMs = Date.parse(zoned);
  return Number.isNaN(timeMs) ? undefined : timeMs;
}

/** The fields of every query for a page of a list; its answer has the `cursor` of the next page. */
export interface PageFields {
  readonly limit: z.ZodType<number, string | undefined>;
  /** End of the page before. */
  readonly cursor: z.ZodOptional<z.ZodString>;
}

/** A page of a list, as its handler has it. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/** Schemas of the query fields that several operations share. */
export interface QueryFields {
  readonly page: PageFields;
  /** A time, as `parseTime` reads it, in Unix milliseconds. */
  readonly time: z.ZodOptional<z.ZodType<number, string>>;
  /** An id or a name. */
  readonly text: z.ZodOptional<z.ZodString>;
}

/** Returns the shared fields; durations count back from `nowMs`. */
export function queryFields(nowMs: number): QueryFields {
  const time = z.string().transform((text, issues) => {
    const timeMs = parseTime(text, nowMs);
    if (timeMs !== undefined) return timeMs;
    issues.addIssue({
      code: "custom",
      message: `"${text.slice(0, 40)}" is no ISO 8601 time and no duration like 24h or 7d`,
    });
    return z.NEVER;
  });
  const limit = z.string().refine(
    (text) => /^[1-9]\d{0,3}$/.test(text) && Number(text) <= PAGE_LIMIT,
    `Give a whole number from 1 to ${PAGE_LIMIT}`,
  ).default(`${DEFAULT_PAGE}`).transform(Number);
  return {
    time: time.optional().meta({
      description: "ISO 8601, UTC where it names no zone; or how long ago, as `24h` or `7d`",
      example: "24h",
      pattern: `${DURATION.source}|${ISO_TIME.source}`,
    }),
    page: {
      limit: limit.meta({
        description: "Most entries of a page",
        override: { type: "integer", minimum: 1, maximum: PAGE_LIMIT, default: DEFAULT_PAGE },
      }),
      cursor: z.string().regex(CURSOR, "Give the cursor that came with a page").optional()
        .describe("The `cursor` of the page before"),
    },
    text: z.string().min(1).max(256).optional(),
  };
}
