import { isJsonObject } from "@svc/sdk/protocol";

/** Formats a JSON value: empty when absent or null, lists and objects with commas. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(textOf).join(", ");
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value).map(([name, inner]) => `${name} ${textOf(inner)}`).join(", ");
}

/** Formats an ISO 8601 time in local time, to the second; empty for other text. */
export function timeText(text: string | null | undefined): string {
  const time = new Date(text ?? "");
  if (Number.isNaN(time.getTime())) return "";
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
