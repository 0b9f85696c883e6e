import { isJsonObject } from "@svc/sdk/protocol";
import type { JsonRecord } from "./chat_request.ts";

/**
 * Returns the schema that allows what both schemas allow; `false` where there is none, or where it
 * cannot be expressed.
 */
export function mergeSchemas(one: unknown, other: unknown): unknown {
  if (one === false || other === false) return false;
  if (!isJsonObject(one)) return other;
  if (!isJsonObject(other)) return one;
  const merged = new Map(Object.entries(one));
  for (const [keyword, value] of Object.entries(other)) {
    const present = merged.get(keyword);
    if (present === undefined) merged.set(keyword, value);
    else if (CHOICES.has(keyword)) postpone(merged, { [keyword]: value });
    else if (UNJOINABLE.has(keyword) && !equal(present, value)) return false;
    else merged.set(keyword, join(keyword, present, value));
  }
  const properties = merged.get("properties");
  if (isJsonObject(properties)) merged.set("properties", closeOver(properties, [one, other]));
  return Object.fromEntries(merged);
}

// These keywords lead to another schema; the second one is postponed until the first is followed.
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

function join(keyword: string, one: unknown, other: unknown): unknown {
  switch (keyword) {
    case "type":
      return commonTypes(list(one), list(other));
    case "enum":
      return list(one).filter((value) => list(other).some((other) => equal(value, other)));
    case "required":
      return [...new Set([...list(one), ...list(other)])];
    case "properties":
      return mergeMembers(one, other);
    case "allOf":
      return [...list(one), ...list(other)];
    case "items":
    case "additionalProperties":
      return mergeSchemas(one, other);
    case "uniqueItems":
      return one === true || other === true;
    default:
      return joinNumbers(keyword, one, other);
  }
}

const FROM_BELOW = /^(?:min|exclusiveMin)/;
const FROM_ABOVE = /^(?:max|exclusiveMax)/;

function joinNumbers(keyword: string, one: unknown, other: unknown): unknown {
  if (typeof one !== "number" || typeof other !== "number") return other;
  if (FROM_BELOW.test(keyword)) return Math.max(one, other);
  if (FROM_ABOVE.test(keyword)) return Math.min(one, other);
  return keyword === "multipleOf" && one !== other ? one * other : other;
}

function commonTypes(one: readonly unknown[], other: readonly unknown[]): unknown[] {
  const common = one.filter((type) => other.includes(type));
  // Every integer is a number.
  const integers = (one.includes("number") && other.includes("integer")) ||
    (one.includes("integer") && other.includes("number"));
  return integers && !common.includes("integer") ? [...common, "integer"] : common;
}

function mergeMembers(one: unknown, other: unknown): unknown {
  if (!isJsonObject(one) || !isJsonObject(other)) return other;
  const merged = new Map(Object.entries(one));
  for (const [name, schema] of Object.entries(other)) {
    merged.set(name, merged.has(name) ? { allOf: [merged.get(name), schema] } : schema);
  }
  return Object.fromEntries(merged);
}

/** A property that one schema declares must also fit the additional properties of the other. */
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

function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
