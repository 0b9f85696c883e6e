import { describeDifference } from "./datetime/difference.ts";
import { describeMoment } from "./datetime/describe.ts";
import { readDuration, readMoment } from "./datetime/parse.ts";
import { attempt, loadTemporal } from "./datetime/temporal.ts";
import { checkZone } from "./datetime/zone.ts";
import { type Tool, ToolError } from "./tool.ts";
import { type InputOf, tool } from "./typed_tool.ts";

/** Options of {@linkcode datetime}. */
export interface DatetimeOptions {
  /**
   * Returns the present time in milliseconds since 1970.
   *
   * @default {Date.now}
   */
  readonly now?: (() => number) | undefined;
  /**
   * IANA name of the zone for times without one.
   *
   * @default {"UTC"}
   */
  readonly zone?: string | undefined;
}

const DESCRIPTION = `Tells the present date and time, and computes with dates. Use it whenever \
"now", "today", a weekday or a time zone matters: you do not know the present by yourself.
now: the present in "zone". convert: "datetime" in "to_zone", also to learn its weekday, week number \
or other formats. add, subtract: "duration" after or before "datetime", by the calendar and the \
clocks of the zone: one month after January 31 is the last day of February; one day keeps the time \
of day, 24 hours do not where the clocks change. difference: from "datetime" to "until".`;

const TIME_FORMS = 'ISO 8601 ("2026-03-29T14:30", "2026-03-29", "2026-03-29T14:30:00+02:00"), ' +
  'RFC 2822 ("Sun, 29 Mar 2026 14:30:00 +0200"), "@" and Unix seconds, "now" or "today"';

const PARAMETERS = {
  type: "object",
  properties: {
    operation: {
      type: "string",
      enum: ["now", "convert", "add", "subtract", "difference"],
      description: "What to do",
    },
    datetime: {
      type: "string",
      maxLength: 200,
      description: `The time to start from, by default "now": ${TIME_FORMS}`,
    },
    until: { type: "string", maxLength: 200, description: "For difference: the other time" },
    duration: {
      type: "string",
      maxLength: 200,
      description: 'For add and subtract: ISO 8601 ("P1M2DT3H") or words ("3 weeks 2 days")',
    },
    zone: {
      type: "string",
      maxLength: 100,
      description: 'IANA zone of times without an offset, such as "America/New_York"; the result ' +
        "is in this zone",
    },
    to_zone: { type: "string", maxLength: 100, description: "Convert the result to this zone" },
    locale: {
      type: "string",
      maxLength: 100,
      description: 'Add the result in words of this language, such as "de-AT"',
    },
  },
  required: ["operation"],
  additionalProperties: false,
} as const;

/**
 * The tool `datetime`: the present time, conversion between zones, arithmetic with calendar and
 * daylight-saving rules, and formats. It needs no permission.
 *
 * @example
 * ```ts
 * import { datetime } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const { execute } = datetime({ now: () => Date.UTC(2026, 0, 31) });
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const later = await execute?.({ operation: "add", duration: "1 month" }, context);
 * assertEquals(Object(later).datetime, "2026-02-28T00:00:00+00:00");
 * assertEquals(Object(later).weekday, "Saturday");
 * ```
 */
export function datetime(options: DatetimeOptions = {}): Tool {
  const settings = { now: options.now ?? Date.now, zone: options.zone ?? "UTC" };
  return tool({
    name: "datetime",
    description: DESCRIPTION,
    parameters: PARAMETERS,
    execute: (input) => answer(input, settings),
  });
}

async function answer(
  input: InputOf<typeof PARAMETERS>,
  settings: { readonly now: () => number; readonly zone: string },
): Promise<unknown> {
  const temporal = await loadTemporal();
  const zoneNamed = (name: string | undefined) => name && checkZone(name, temporal);
  const zone = zoneNamed(input.zone) || undefined;
  const toZone = zoneNamed(input.to_zone) || undefined;
  const defaultZone = checkZone(settings.zone, temporal);
  const now = temporal.Instant.fromEpochMilliseconds(settings.now())
    .toZonedDateTimeISO(zone ?? defaultZone);
  const context = { temporal, now, zone, defaultZone };
  const start = input.operation === "now"
    ? { moment: now }
    : readMoment(input.datetime || "now", context);

  if (input.operation === "difference") {
    const end = readMoment(required(input.until, "until", "difference"), context);
    const place = toZone ?? start.moment.timeZoneId;
    const notes = [start.note, end.note].filter((note) => note !== undefined);
    const difference = describeDifference(
      start.moment.withTimeZone(place),
      end.moment.withTimeZone(place),
    );
    return { ...difference, ...(notes.length > 0 ? { notes } : {}) };
  }
  let { moment } = start;
  if (input.operation === "add" || input.operation === "subtract") {
    const duration = readDuration(required(input.duration, "duration", input.operation), temporal);
    const sum = input.operation === "add" ? duration : duration.negated();
    moment = attempt(
      "The result is outside the range of representable years",
      () => moment.add(sum),
    );
  }
  return describeMoment(toZone === undefined ? moment : moment.withTimeZone(toZone), {
    locale: input.locale,
    notes: start.note === undefined ? [] : [start.note],
  });
}

function required(value: string | undefined, name: string, operation: string): string {
  if (value !== undefined) return value;
  throw new ToolError(`The operation "${operation}" needs "${name}"`, {
    code: "invalid_tool_arguments",
  });
}
