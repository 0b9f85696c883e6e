import { isJsonObject } from "@svc/sdk/protocol";
import type { JsonRecord } from "./chat_request.ts";

/** The schema that allows what both allow; `false` where that is nothing, or cannot be said. */
export function mergeSchemas(left: unknown, right: unknown): unknown {
  if (left === false || right === false) return false;
  if (!isJsonObject(left)) return right;
  if (!isJsonObject(right)) return left;
  const merged = new Map(Object.entries(left));
  for (const [keyword, value] of Object.entries(right)) {
    const present = merged.get(keyword);
    if (present === undefined) merged.set(keyword, value);
    else if (CHOICES.has(keyword)) postpone(merged, { [keyword]: value });
    else if (UNJOINABLE.has(keyword) && !equal(present, value)) return false;
    else merged.set(keyword, join(keyword, present, value));
  }
  const properties = merged.get("properties");
  if (isJsonObject(properties)) merged.set("properties", closeOver(properties, [left, right]));
  return Object.fromEntries(merged);
}

// Each of these leads to another schema; the second one waits until the first has been followed.
const CHOICES: ReadonlySet<string> = new Set(["anyOf", "oneOf", "$ref"]);
const UNJOINABLE: ReadonlySet<string> = new Set([
  "const",
  "format",
  "pattern",
  "prefixItems",
  "patternProperties",
]);

function postpone(merged: Map<string, unknown>, schema: JsonRecord): void {
  merged.set("allOf", [...list(merged.get("allOf") ?? []), schema]);
}

function join(keyword: string, left: unknown, right: unknown): unknown {
  switch (keyword) {
    case "type":
      return commonTypes(list(left), list(right));
    case "enum":
      return list(left).filter((value) => list(right).some((other) => equal(value, other)));
    case "required":
      return [...new Set([...list(left), ...list(right)])];
    case "properties":
      return mergeMembers(left, right);
    case "allOf":
      return [...list(left), ...list(right)];
    case "items":
    case "additionalProperties":
      return mergeSchemas(left, right);
    case "uniqueItems":
      return left === true || right === true;
    default:
      return joinNumbers(keyword, left, right);
  }
}

const FROM_BELOW = /^(?:min|exclusiveMin)/;
const FROM_ABOVE = /^(?:max|exclusiveMax)/;

function joinNumbers(keyword: string, left: unknown, right: unknown): unknown {
  if (typeof left !== "number" || typeof right !== "number") return right;
  if (FROM_BELOW.test(keyword)) return Math.max(left, right);
  if (FROM_ABOVE.test(keyword)) return Math.min(left, right);
  return keyword === "multipleOf" && left !== right ? left * right : right;
}

function commonTypes(left: readonly unknown[], right: readonly unknown[]): unknown[] {
  const common = left.filter((type) => right.includes(type));
  // Every integer is a number.
  const integers = (left.includes("number") && right.includes("integer")) ||
    (left.includes("integer") && right.includes("number"));
  return integers && !common.includes("integer") ? [...common, "integer"] : common;
}

function mergeMembers(left: unknown, right: unknown): unknown {
  if (!isJsonObject(left) || !isJsonObject(right)) return right;
  const merged = new Map(Object.entries(left));
  for (const [name, schema] of Object.entries(right)) {
    merged.set(name, merged.has(name) ? { allOf: [merged.get(name), schema] } : schema);
  }
  return Object.fromEntries(merged);
}

/** What one side declares must also be what the other side allows beside its own. */
function closeOver(properties: JsonRecord, sides: readonly JsonRecord[]): JsonRecord {
  const closed = Object.entries(properties).map(([name, schema]): [string, unknown] => {
    const others = sides.filter((side) =>
      side.additionalProperties !== undefined &&
      !(isJsonObject(side.properties) && Object.hasOwn(side.properties, name))
    );
    if (others.length === 0) return [name, schema];
    return [name, { allOf: [schema, ...others.map((side) => side.additionalProperties)] }];
  });
  return Object.fromEntries(closed);
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [value];
}

function equal(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
