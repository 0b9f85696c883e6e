import { ToolError } from "../tool.ts";
import { MONTHS, WEEKDAYS } from "./names.ts";
import type { Moment } from "./temporal.ts";

/** A moment in the tool's output. */
export interface MomentText {
  /** ISO 8601 with the offset. */
  readonly datetime: string;
  /** IANA name of the zone. */
  readonly zone: string;
  /** English name of the day of the week. */
  readonly weekday: string;
  /** ISO 8601 week, as in `2026-W13`. */
  readonly week: string;
  /** 1 for January 1. */
  readonly day_of_year: number;
  /** The same moment in UTC. */
  readonly utc: string;
  /** Seconds since 1970. */
  readonly unix_seconds: number;
  /**
   * Date as in mail headers; absent when they cannot express it: a far year, or an offset with
   * seconds.
   */
  readonly rfc2822?: string;
  /** Text in the requested locale. */
  readonly text?: string;
  /** Notes to pass on. */
  readonly notes?: readonly string[];
}

/** Options of {@linkcode describeMoment}. */
export interface DescribeOptions {
  /** BCP 47 tag of the language of `text`. */
  readonly locale?: string | undefined;
  /** Passed on where there are any. */
  readonly notes?: readonly string[];
}

/**
 * Describes a moment in all the forms that a model may need.
 *
 * @throws {ToolError} The locale is not a valid tag.
 */
export function describeMoment(
  moment: Moment,
  { locale, notes = [] }: DescribeOptions = {},
): MomentText {
  return {
    datetime: isoText(moment),
    zone: moment.timeZoneId,
    weekday: WEEKDAYS[moment.dayOfWeek - 1] ?? "",
    week: `${isoYear(moment.yearOfWeek ?? moment.year)}-W${padded(moment.weekOfYear, 2)}`,
    day_of_year: moment.dayOfYear,
    utc: moment.toInstant().toString(),
    unix_seconds: moment.epochMilliseconds / 1_000,
    ...(fitsMail(moment) ? { rfc2822: rfc2822(moment) } : {}),
    ...(locale === undefined
      ? {}
      : { text: inLocale(locale, moment, { dateStyle: "full", timeStyle: "long" }) }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

/** Formats a moment as ISO 8601 with the whole offset, which had seconds before standard zones. */
export function isoText(moment: Moment): string {
  return `${moment.toPlainDateTime()}${moment.offset}`;
}

function fitsMail({ year, offset }: Moment): boolean {
  return year >= 0 && year <= 9_999 && /^.\d\d:\d\d$/.test(offset);
}

/** Formats a year as ISO 8601: before 0000 and after 9999 with a sign and six digits. */
function isoYear(year: number): string {
  if (year >= 0 && year <= 9_999) return padded(year, 4);
  return `${year < 0 ? "-" : "+"}${padded(Math.abs(year), 6)}`;
}

function padded(value: number | undefined, digits: number): string {
  return String(value).padStart(digits, "0");
}

function rfc2822(moment: Moment): string {
  const { day, month, year, hour, minute, second, dayOfWeek, offset } = moment;
  const weekday = WEEKDAYS[dayOfWeek - 1]?.slice(0, 3);
  const date = `${padded(day, 2)} ${MONTHS[month - 1]} ${padded(year, 4)}`;
  const time = [hour, minute, second].map((part) => padded(part, 2)).join(":");
  return `${weekday}, ${date} ${time} ${offset.replace(":", "")}`;
}

/** Hosts without `Temporal` cannot format its values, but every host formats milliseconds. */
function inLocale(locale: string, moment: Moment, options: Intl.DateTimeFormatOptions): string {
  const { timeZoneId: timeZone, epochMilliseconds } = moment;
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone }).format(epochMilliseconds);
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause;
    const message = `There is no locale "${locale.slice(0, 64)}": expected a tag such as "de-AT"`;
    throw new ToolError(message, { code: "unknown_locale", cause });
  }
}
