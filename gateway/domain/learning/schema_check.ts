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

/** Applications of schemas to values in one check. */
const STEPS_MAX = 10_000;
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
  if (check.steps-- <= 0 || depth > DEPTH_MAX) return true;
  if (schema === false) return false;
  if (!isJsonObject(schema)) return true;
  const inner = (one: unknown, part: unknown) => fits(one, part, check, depth + 1);
  const { $ref, type, const: constant, allOf, anyOf, oneOf } = schema;
  if (typeof $ref === "string" && !inner(resolved($ref, check.root), value)) return false;
  if (type !== undefined && !listOf(type).some((name) => hasType(name, value))) return false;
  if ("const" in schema && !isSame(constant, value)) return false;
  if (Array.isArray(schema["enum"]) && !schema["enum"].some((one) => isSame(one, value))) {
    return false;
  }
  if (Array.isArray(allOf) && !allOf.every((one) => inner(one, value))) return false;
  for (const alternatives of [anyOf, oneOf]) {
    if (Array.isArray(alternatives) && !alternatives.some((one) => inner(one, value))) return false;
  }
  if (Array.isArray(value)) return hasItems(schema, value, inner);
  return !isJsonObject(value) || hasMembers(schema, value, inner);
}

type Inner = (schema: unknown, value: unknown) => boolean;

function hasItems({ prefixItems, items }: Json, value: readonly unknown[], inner: Inner): boolean {
  const first = Array.isArray(prefixItems) ? prefixItems : [];
  return value.every((item, at) => inner(at < first.length ? first[at] : items, item));
}

function hasMembers(schema: Json, value: Json, inner: Inner): boolean {
  const { required, properties, patternProperties, additionalProperties } = schema;
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(value, String(name)))) {
    return false;
  }
  const known = isJsonObject(properties) ? properties : {};
  return Object.entries(value).every(([name, member]) => {
    if (Object.hasOwn(known, name)) return inner(known[name], member);
    return patternProperties !== undefined || inner(additionalProperties, member);
  });
}

function hasType(name: unknown, value: unknown): boolean {
  if (name === "null") return value === null;
  if (name === "array") return Array.isArray(value);
  if (name === "object") return isJsonObject(value);
  if (name === "integer") return Number.isInteger(value);
  return !["string", "number", "boolean"].includes(String(name)) || typeof value === name;
}

/** Compares plain values, and others by their JSON. */
function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  return JSON.stringify(one) === JSON.stringify(other);
}

/** Returns the target of a reference such as `#/$defs/name`; `undefined`, which fits all, if there is none. */
function resolved(reference: string, root: unknown): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let target = root;
  for (const part of reference.slice(2).split("/")) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (!isJsonObject(target) || !Object.hasOwn(target, name)) return undefined;
    target = target[name];
  }
  return target;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
