import { ToolError } from "../tool.ts";
import { MONTHS, WEEKDAYS } from "./names.ts";
import { attempt, type Duration, type Moment, type TemporalApi } from "./temporal.ts";
import { checkZone } from "./zone.ts";

/** Context for reading a date or time. */
export interface ReadingContext {
  /** The namespace `Temporal`. */
  readonly temporal: TemporalApi;
  /** The present time. */
  readonly now: Moment;
  /** Zone of local times; other times are converted to it. */
  readonly zone: string | undefined;
  /** Zone of times without one, when `zone` is absent. */
  readonly defaultZone: string;
}

/** A parsed moment. */
export interface ReadMoment {
  /** The moment in the requested zone, else in its own. */
  readonly moment: Moment;
  /** The decision about an ambiguous text. */
  readonly note?: string;
}

const FORMS = 'expected ISO 8601 such as "2026-03-29T14:30", "2026-03-29" or ' +
  '"2026-03-29T14:30:00+02:00", RFC 2822 such as "Sun, 29 Mar 2026 14:30:00 +0200", ' +
  '"@1774787400" (Unix seconds), "now" or "today"';
const RFC_2822 =
  /^(?:([a-z]{3}), *)?(\d{1,2}) +([a-z]{3}) +(\d{4}) +(\d\d:\d\d(?::\d\d)?) +(\S+)$/i;
const UNIX = /^@(-?\d{1,13})(\.\d{1,9})?$/;
const OFFSET = /[T ][\d:.,]+(Z|[+-]\d\d(?::?\d\d){0,2})$/i;
const ZONE_LIKE_OFFSET = /^.\d\d(?::?\d\d)?$/;

/**
 * Parses a date and time.
 *
 * @throws {ToolError} It is in none of the known forms, or does not exist.
 */
export function readMoment(text: string, context: ReadingContext): ReadMoment {
  const { temporal, now, zone, defaultZone } = context;
  const trimmed = text.trim();
  const failure = `Cannot read the time "${trimmed.slice(0, 64)}": ${FORMS}`;
  const local = now.withTimeZone(zone ?? defaultZone);
  if (/^now$/i.test(trimmed)) return { moment: local };
  if (/^today$/i.test(trimmed)) return { moment: local.startOfDay() };
  const unix = UNIX.exec(trimmed);
  if (unix !== null) {
    const ms = Math.round(Number(`${unix[1]}${unix[2] ?? ""}`) * 1_000);
    const instant = attempt(failure, () => temporal.Instant.fromEpochMilliseconds(ms));
    return { moment: instant.toZonedDateTimeISO(zone ?? defaultZone) };
  }
  const iso = fromRfc2822(trimmed, temporal) ?? trimmed;
  if (iso.includes("[")) return { moment: readZoned(iso, failure, context) };
  const [, offset] = OFFSET.exec(iso) ?? [];
  if (offset === undefined) return readLocal(iso, failure, context);
  const own = ZONE_LIKE_OFFSET.test(offset) ? offset : "UTC";
  return {
    moment: attempt(failure, () => temporal.Instant.from(iso).toZonedDateTimeISO(zone ?? own)),
  };
}

function readZoned(iso: string, failure: string, { temporal, zone }: ReadingContext): Moment {
  checkZone(/\[!?([^\]=]*)\]/.exec(iso)?.[1] ?? "", temporal);
  const moment = attempt(
    `${failure}; an offset must be the one that the zone has at that time`,
    () => temporal.ZonedDateTime.from(iso).withCalendar("iso8601"),
  );
  return zone === undefined ? moment : moment.withTimeZone(zone);
}

/** Parses a local time, which the zone's clocks may skip or show twice. */
function readLocal(
  iso: string,
  failure: string,
  { temporal, zone, defaultZone }: ReadingContext,
): ReadMoment {
  const place = zone ?? defaultZone;
  const plain = attempt(failure, () => temporal.PlainDateTime.from(iso).withCalendar("iso8601"));
  const [earlier, later] = attempt(failure, () => [
    plain.toZonedDateTime(place, { disambiguation: "earlier" }),
    plain.toZonedDateTime(place, { disambiguation: "later" }),
  ]);
  if (earlier === undefined || later === undefined || earlier.equals(later)) {
    return { moment: plain.toZonedDateTime(place) };
  }
  if (earlier.toPlainDateTime().equals(plain)) {
    const note = `${plain} happens twice in ${place}: the first is taken, ` +
      `the second has the offset ${later.offset}`;
    return { moment: earlier, note };
  }
  const note = `${plain} does not exist in ${place}, where the clocks skip it: ` +
    `${later.toPlainDateTime()} is taken`;
  return { moment: later, note };
}

/** Returns the ISO 8601 form of an RFC 2822 date; `undefined` for another text. */
function fromRfc2822(text: string, temporal: TemporalApi): string | undefined {
  const [, weekday, day = "", month = "", year = "", time = "", zone = ""] = RFC_2822.exec(text) ??
    [];
  const number = MONTHS.findIndex((name) => name.toLowerCase() === month.toLowerCase()) + 1;
  if (number === 0) return undefined;
  const date = `${year}-${String(number).padStart(2, "0")}-${day.padStart(2, "0")}`;
  if (weekday !== undefined) {
    const { dayOfWeek } = attempt(
      `There is no ${day} ${month} ${year}`,
      () => temporal.PlainDate.from(date),
    );
    const actual = WEEKDAYS[dayOfWeek - 1] ?? "";
    if (actual.slice(0, 3).toLowerCase() !== weekday.toLowerCase()) {
      throw new ToolError(`${date} is a ${actual}, not "${weekday}"`, { code: "invalid_datetime" });
    }
  }
  return `${date}T${time}${/^(?:GMT|UTC?)$/i.test(zone) ? "Z" : zone}`;
}

const UNITS: readonly (readonly [RegExp, string])[] = [
  [/^y(?:ears?)?$/, "Y"],
  [/^(?:mo|months?)$/, "M"],
  [/^w(?:eeks?)?$/, "W"],
  [/^d(?:ays?)?$/, "D"],
  [/^h(?:(?:ou)?rs?)?$/, "TH"],
  [/^(?:m|min|mins|minutes?)$/, "TM"],
  [/^s(?:ec|ecs|econds?)?$/, "TS"],
];
const AMOUNT = /([+-]?\d+(?:\.\d+)?) *([a-z]+)(?:,| |and)*/y;

/**
 * Parses a duration, as ISO 8601 (`P1Y2M3DT4H`) or in words (`1 year 2 months`).
 *
 * @throws {ToolError} It is neither.
 */
export function readDuration(text: string, temporal: TemporalApi): Duration {
  const trimmed = text.trim();
  const failure = `Cannot read the duration "${trimmed.slice(0, 64)}": expected ISO 8601 such as ` +
    '"P1Y2M10DT2H30M" or words such as "3 weeks 2 days"; only hours, minutes and seconds have ' +
    "fractions";
  const isIso = /^[+-]?p/i.test(trimmed);
  return attempt(
    failure,
    () => isIso ? temporal.Duration.from(trimmed.toUpperCase()) : inWords(trimmed, temporal),
  );
}

function inWords(text: string, temporal: TemporalApi): Duration {
  const words = text.toLowerCase();
  const amounts = new Map<string, string>();
  for (AMOUNT.lastIndex = 0; AMOUNT.lastIndex < words.length;) {
    const [, amount = "", word = ""] = AMOUNT.exec(words) ?? [];
    const unit = UNITS.find(([names]) => names.test(word))?.[1];
    if (unit === undefined || amounts.has(unit)) throw new RangeError("Not a duration");
    amounts.set(unit, amount.replace("+", ""));
  }
  const signs = new Set([...amounts.values()].map((amount) => amount.startsWith("-")));
  if (signs.size !== 1) throw new RangeError("Not one direction");
  const part = (prefix: string, units: string) =>
    [...units].map((unit) => {
      const amount = amounts.get(prefix + unit)?.replace("-", "");
      return amount === undefined ? "" : amount + unit;
    }).join("");
  const time = part("T", "HMS");
  return temporal.Duration.from(
    `${signs.has(true) ? "-" : ""}P${part("", "YMWD")}${time && `T${time}`}`,
  );
}
