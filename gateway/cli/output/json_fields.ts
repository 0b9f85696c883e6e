import { isJsonObject } from "@svc/sdk/protocol";

/** A JSON object of the operator's API. */
export type Row = Readonly<Record<string, unknown>>;

/** True for a JSON object. */
export function rowsOf(row: Row, field: string): readonly Row[] {
  const list = row[field];
  return Array.isArray(list) ? list.filter(isJsonObject) : [];
}

/** Returns the objects of a list; none when the field is no list. */
export function rowOf(row: Row, field: string): Row {
  const value = row[field];
  return isJsonObject(value) ? value : {};
}

/** Returns the object of a field; empty when there is none. */
export function textOf(row: Row, field: string): string {
  return write(row[field]);
}

function write(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.map(write).join(", ");
  if (!isJsonObject(value)) return String(value);
  return Object.entries(value).map(([name, inner]) => `${name} ${write(inner)}`).join(", ");
}

/** Formats a field: empty when absent or null, lists and objects with commas. */
export function timeOf(row: Row, field: string): string {
  const time = new Date(textOf(row, field));
  if (Number.isNaN(time.getTime())) return "";
  const two = (number: number) => String(number).padStart(2, "0");
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}
