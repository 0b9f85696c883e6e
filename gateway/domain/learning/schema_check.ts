/**
 * A bounded check of a JSON value against the structure of a JSON Schema.
 *
 * It looks at `type`, `enum`, `const`, `required`, `properties`, `additionalProperties`, `items`,
 * `prefixItems`, `anyOf`, `oneOf`, `allOf` and local `$ref`. All other keywords are ignored, also
 * `pattern`: a caller's pattern may take exponential time. Beyond its bounds a value counts as valid,
 * so that an answer is blamed only for a violation that was seen.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";

type Json = Readonly<Record<string, unknown>>;

/** Steps of one check: each looks at one part of the schema, or compares one value. */
const STEPS_MAX = 10_000;
/** Longest reference that is followed, in UTF-16 code units. */
const REFERENCE_CHARS_MAX = 256;
/** Nesting of a value, and of alternatives and references within one value. */
const DEPTH_MAX = 64;

interface Check {
  readonly root: unknown;
  steps: number;
}

/** True when a value breaks a schema. */
export function violates(schema: unknown, value: unknown): boolean {
  const check: Check = { root: schema, steps: STEPS_MAX };
  return !fits(schema, value, check, 0) && check.steps > 0;
}

function fits(schema: unknown, value: unknown, check: Check, depth: number): boolean {
  if (!stepIn(check) || depth > DEPTH_MAX) return true;
  if (schema === false) return false;
  if (!isJsonObject(schema)) return true;
  const inner = (one: unknown, part: unknown) => fits(one, part, check, depth + 1);
  const isOne = (one: unknown) => isSame(one, value, check);
  const { $ref, type, const: constant, enum: values, allOf, anyOf, oneOf } = schema;
  if (typeof $ref === "string" && !inner(resolved($ref, check), value)) return false;
  if (type !== undefined && !hasOneOf(listOf(type), value, check)) return false;
  if ("const" in schema && !isOne(constant)) return false;
  if (Array.isArray(values) && !values.some(isOne)) return false;
  if (Array.isArray(allOf) && !allOf.every((one) => inner(one, value))) return false;
  for (const alternatives of [anyOf, oneOf]) {
    if (Array.isArray(alternatives) && !alternatives.some((one) => inner(one, value))) return false;
  }
  if (Array.isArray(value)) return hasItems(schema, value, inner);
  return !isJsonObject(value) || hasMembers(schema, value, { inner, check });
}

type Inner = (schema: unknown, value: unknown) => boolean;

/** Takes one step; returns false when none is left, and nothing more is looked at. */
function stepIn(check: Check): boolean {
  return check.steps-- > 0;
}

function hasItems({ prefixItems, items }: Json, value: readonly unknown[], inner: Inner): boolean {
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  return value.every((item, at) => inner(at < first.length ? first[at] : items, item));
}

function hasMembers(
  schema: Json,
  value: Json,
  { inner, check }: { readonly inner: Inner; readonly check: Check },
): boolean {
  const { required, properties, patternProperties, additionalProperties } = schema;
  const isThere = (name: unknown) => !stepIn(check) || Object.hasOwn(value, String(name));
  if (Array.isArray(required) && !required.every(isThere)) return false;
  const known = isJsonObject(properties) ? properties : {};
  for (const name in value) {
    if (!stepIn(check)) return true;
    if (Object.hasOwn(known, name)) {
      if (!inner(known[name], value[name])) return false;
    } else if (patternProperties === undefined && !inner(additionalProperties, value[name])) {
      return false;
    }
  }
  return true;
}

function hasOneOf(types: readonly unknown[], value: unknown, check: Check): boolean {
  return types.some((name) => !stepIn(check) || hasType(name, value));
}

function hasType(name: unknown, value: unknown): boolean {
  if (name === "null") return value === null;
  if (name === "array") return Array.isArray(value);
  if (name === "object") return isJsonObject(value);
  if (name === "integer") return Number.isInteger(value);
  return !["string", "number", "boolean"].includes(String(name)) || typeof value === name;
}

/** Compares values in depth; true when no step is left. */
function isSame(one: unknown, other: unknown, check: Check): boolean {
  if (!stepIn(check) || one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length &&
      one.every((item, at) => isSame(item, other[at], check));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;
  for (const name in one) {
    if (!Object.hasOwn(other, name) || !isSame(one[name], other[name], check)) return false;
  }
  for (const name in other) {
    if (!stepIn(check)) return true;
    if (!Object.hasOwn(one, name)) return false;
  }
  return true;
}

/** Returns the target of a reference such as `#/$defs/name`; `undefined`, which fits all, if there is none. */
function resolved(reference: string, check: Check): unknown {
  if (reference === "#") return check.root;
  if (!reference.startsWith("#/") || reference.length > REFERENCE_CHARS_MAX) return undefined;
  let target = check.root;
  for (const part of reference.slice(2).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!stepIn(check) || !isJsonObject(target) || !Object.hasOwn(target, name)) return undefined;
    target = target[name];
  }
  return target;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
