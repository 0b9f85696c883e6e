import type { JsonRecord } from "./chat_request.ts";
import type { Instance } from "./instance.ts";

const FORMATS: ReadonlyMap<unknown, string> = new Map([
  ["date-time", "2026-01-01T00:00:00Z"],
  ["date", "2026-01-01"],
  ["time", "00:00:00Z"],
  ["duration", "PT1S"],
  ["email", "simulator@example.com"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
  ["uri", "https://example.com/"],
  ["url", "https://example.com/"],
  ["hostname", "example.com"],
  ["ipv4", "192.0.2.1"],
  ["ipv6", "2001:db8::1"],
]);

const PLAIN_TEXT = "simulated";
const LONGEST_TEXT = 100_000;

/**
 * Returns the text of a string schema: that of its format, else the next hint, else a plain word.
 */
export function smallestText(schema: JsonRecord, hints: string[]): Instance {
  const least = typeof schema.minLength === "number" ? schema.minLength : 0;
  const most = typeof schema.maxLength === "number" ? schema.maxLength : LONGEST_TEXT;
  const fits = (text: string) => text.length >= least && text.length <= most;
  const formatted = FORMATS.get(schema.format);
  if (formatted !== undefined) return fits(formatted) ? { value: formatted } : undefined;
  // A pattern beside a known format repeats the format; alone it is not supported.
  if (schema.pattern !== undefined || least > most || least > LONGEST_TEXT) return undefined;
  const hint = hints[0];
  if (hint !== undefined && fits(hint)) return { value: hints.shift() };
  const text = PLAIN_TEXT.repeat(Math.max(1, Math.ceil(least / PLAIN_TEXT.length)));
  const length = Math.max(least, Math.min(PLAIN_TEXT.length, most));
  return { value: text.slice(0, length) };
}

/** True for a number that a number schema allows. */
export function allowsNumber(
  schema: JsonRecord,
  { integer }: { readonly integer: boolean },
): (value: number) => boolean {
  const over = bound(schema.exclusiveMinimum, -Infinity);
  const under = bound(schema.exclusiveMaximum, Infinity);
  const least = bound(schema.minimum, -Infinity);
  const most = bound(schema.maximum, Infinity);
  const multiple = bound(schema.multipleOf, integer ? 1 : 0);
  return (value) =>
    value >= least && value > over && value <= most && value < under &&
    (!integer || Number.isInteger(value)) &&
    (multiple === 0 || Number.isInteger(value / multiple));
}

/** Returns the number nearest to zero from above that a number schema allows, else its lowest. */
export function smallestNumber(schema: JsonRecord, options: { integer: boolean }): Instance {
  const over = bound(schema.exclusiveMinimum, -Infinity);
  const under = bound(schema.exclusiveMaximum, Infinity);
  const least = bound(schema.minimum, -Infinity);
  const most = bound(schema.maximum, Infinity);
  const multiple = bound(schema.multipleOf, options.integer ? 1 : 0);
  const step = options.integer && !Number.isInteger(multiple) ? 1 : multiple;
  const low = Math.max(over, least);
  const high = Math.min(under, most);
  const allowed = allowsNumber(schema, options);
  const candidates = step > 0
    ? [0, Math.ceil(low / step) * step, Math.ceil(low / step) * step + step]
    : [0, low, low + 1, (low + high) / 2];
  // Without a lower bound, the highest number is the start.
  if (low === -Infinity) {
    candidates.push(
      ...step > 0
        ? [Math.floor(high / step) * step, Math.floor(high / step) * step - step]
        : [high, high - 1],
    );
  }
  const value = candidates.find((value) => Number.isFinite(value) && allowed(value));
  return value === undefined ? undefined : { value: value + 0 };
}

function bound(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise;
}
