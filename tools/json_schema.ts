import { isJsonObject } from "./json.ts";

/** A violation of a schema. */
export interface SchemaIssue {
  /** Path of the value, as in `items[2].name`; empty for the value itself. */
  readonly path: string;
  /** The expected value. */
  readonly message: string;
}

type Json = Readonly<Record<string, unknown>>;

interface Location {
  readonly path: string;
  readonly schema: Json;
  readonly root: Json;
  readonly depth: number;
  /** Shared by the whole validation. */
  readonly effort: Effort;
}

/** Remaining applications of schemas. Below zero, the validation is incomplete. */
interface Effort {
  remaining: number;
}

type Keyword = (rule: unknown, value: unknown, location: Location) => readonly SchemaIssue[];

const MAX_DEPTH = 100;
/**
 * Largest number of schema applications in one validation: recursive alternatives double the work
 * with every level of a value.
 */
const MAX_EFFORT = 200_000;
const NONE: readonly SchemaIssue[] = [];

function expect(
  isMet: boolean,
  message: string,
  { path }: { path: string },
): readonly SchemaIssue[] {
  return isMet ? NONE : [{ path, message }];
}

function canonical(value: unknown): string {
  const sorted = (_: string, part: unknown) =>
    isJsonObject(part) ? Object.fromEntries(Object.entries(part).sort()) : part;
  try {
    return JSON.stringify(value, sorted) ?? "undefined";
  } catch (error) {
    if (error instanceof RangeError) return "what is nested too deeply";
    throw error;
  }
}

function typeMatches(type: unknown, value: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return Number.isInteger(value);
    case "string":
    case "number":
    case "boolean":
      return typeof value === `${type}`;
    default:
      return false;
  }
}

/** Returns a keyword that bounds a measure of values of one kind. */
function bound(
  measure: (value: unknown) => number | undefined,
  holds: (measured: number, limit: number) => boolean,
  say: (limit: number) => string,
): Keyword {
  return (rule, value, location) => {
    const measured = measure(value);
    if (typeof rule !== "number" || measured === undefined) return NONE;
    return expect(holds(measured, rule), say(rule), location);
  };
}

const numberOf = (value: unknown) => typeof value === "number" ? value : undefined;
const lengthOf = (value: unknown) => typeof value === "string" ? [...value].length : undefined;
const countOf = (value: unknown) => Array.isArray(value) ? value.length : undefined;
const keysOf = (value: unknown) => isJsonObject(value) ? Object.keys(value).length : undefined;
const atLeast = (measured: number, limit: number) => measured >= limit;
const atMost = (measured: number, limit: number) => measured <= limit;

function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient));
}

/** Applies a schema to every entry of an array or object that `select` names. */
function each(
  value: unknown,
  location: Location,
  select: (key: string) => readonly unknown[],
): readonly SchemaIssue[] {
  if (Array.isArray(value)) {
    return value.flatMap((item, index) =>
      select(String(index)).flatMap((schema) =>
        validate(schema, item, { ...location, path: `${location.path}[${index}]` })
      )
    );
  }
  if (!isJsonObject(value)) return NONE;
  return Object.entries(value).flatMap(([key, item]) => {
    const path = location.path === "" ? key : `${location.path}.${key}`;
    return select(key).flatMap((schema) => validate(schema, item, { ...location, path }));
  });
}

function fits(schema: unknown, value: unknown, location: Location): boolean {
  return validate(schema, value, location).length === 0;
}

function listed(rule: unknown): readonly unknown[] {
  return Array.isArray(rule) ? rule : [];
}

function own(record: unknown, key: string): readonly unknown[] {
  return isJsonObject(record) && Object.hasOwn(record, key) ? [record[key]] : [];
}

function patternsFor(patterns: unknown, key: string): readonly unknown[] {
  if (!isJsonObject(patterns)) return [];
  return Object.entries(patterns).flatMap(([pattern, schema]) =>
    new RegExp(pattern, "u").test(key) ? [schema] : []
  );
}

function alternatives(rule: unknown, value: unknown, location: Location): readonly SchemaIssue[] {
  const tried = listed(rule).map((schema) => validate(schema, value, location));
  if (tried.some((issues) => issues.length === 0)) return NONE;
  // The alternative with the fewest issues gives the best message.
  const closest = tried.toSorted((one, other) => one.length - other.length)[0];
  return closest ?? NONE;
}

/** Keywords that restrict values, as JSON Schema 2020-12 defines them. */
const KEYWORDS: Readonly<Record<string, Keyword>> = {
  type: (rule, value, location) => {
    const types = Array.isArray(rule) ? rule : [rule];
    return expect(
      types.some((type) => typeMatches(type, value)),
      `expected ${types.join(" or ")}`,
      { path: location.path },
    );
  },
  enum: (rule, value, location) => {
    const choices = listed(rule).map(canonical);
    return expect(
      choices.includes(canonical(value)),
      `expected one of ${choices.join(", ")}`,
      location,
    );
  },
  const: (rule, value, location) =>
    expect(canonical(rule) === canonical(value), `expected ${canonical(rule)}`, location),
  minimum: bound(numberOf, atLeast, (limit) => `expected at least ${limit}`),
  maximum: bound(numberOf, atMost, (limit) => `expected at most ${limit}`),
  exclusiveMinimum: bound(numberOf, (it, limit) => it > limit, (limit) => `expected > ${limit}`),
  exclusiveMaximum: bound(numberOf, (it, limit) => it < limit, (limit) => `expected < ${limit}`),
  multipleOf: bound(numberOf, isMultiple, (limit) => `expected a multiple of ${limit}`),
  minLength: bound(lengthOf, atLeast, (limit) => `expected at least ${limit} characters`),
  maxLength: bound(lengthOf, atMost, (limit) => `expected at most ${limit} characters`),
  minItems: bound(countOf, atLeast, (limit) => `expected at least ${limit} items`),
  maxItems: bound(countOf, atMost, (limit) => `expected at most ${limit} items`),
  minProperties: bound(keysOf, atLeast, (limit) => `expected at least ${limit} properties`),
  maxProperties: bound(keysOf, atMost, (limit) => `expected at most ${limit} properties`),
  pattern: (rule, value, location) => {
    if (typeof rule !== "string" || typeof value !== "string") return NONE;
    return expect(
      new RegExp(rule, "u").test(value),
      `expected text that matches ${rule}`,
      location,
    );
  },
  uniqueItems: (rule, value, location) => {
    if (rule !== true || !Array.isArray(value)) return NONE;
    return expect(new Set(value.map(canonical)).size === value.length, "expected no item twice", {
      path: location.path,
    });
  },
  required: (rule, value, location) => {
    if (!isJsonObject(value)) return NONE;
    const missing = listed(rule).filter((key) => !Object.hasOwn(value, String(key)));
    return missing.map((key) => ({ path: location.path, message: `"${key}" is missing` }));
  },
  properties: (rule, value, location) =>
    isJsonObject(value) ? each(value, location, (key) => own(rule, key)) : NONE,
  patternProperties: (rule, value, location) =>
    isJsonObject(value) ? each(value, location, (key) => patternsFor(rule, key)) : NONE,
  additionalProperties: (rule, value, location) => {
    const { properties, patternProperties } = location.schema;
    const isDeclared = (key: string) =>
      own(properties, key).length > 0 || patternsFor(patternProperties, key).length > 0;
    if (!isJsonObject(value)) return NONE;
    if (rule !== false) return each(value, location, (key) => isDeclared(key) ? [] : [rule]);
    const known = isJsonObject(properties) ? Object.keys(properties).join(", ") : "";
    return Object.keys(value).filter((key) => !isDeclared(key)).map((key) => ({
      path: location.path,
      message: `"${key.slice(0, 64)}" is not known; known are: ${known || "none"}`,
    }));
  },
  prefixItems: (rule, value, location) =>
    Array.isArray(value) ? each(value, location, (key) => own({ ...listed(rule) }, key)) : NONE,
  items: (rule, value, location) => {
    const before = listed(location.schema.prefixItems).length;
    return Array.isArray(value)
      ? each(value, location, (key) => Number(key) < before ? [] : [rule])
      : NONE;
  },
  allOf: (rule, value, location) =>
    listed(rule).flatMap((schema) => validate(schema, value, { ...location })),
  anyOf: alternatives,
  oneOf: (rule, value, location) => {
    const fitting = listed(rule).filter((schema) => fits(schema, value, location)).length;
    if (fitting === 0) return alternatives(rule, value, location);
    return expect(fitting === 1, "expected to fit one alternative only", location);
  },
  not: (rule, value, location) =>
    expect(!fits(rule, value, location), "expected something that is not excluded", location),
  $ref: (rule, value, location) => validate(resolve(rule, location.root), value, location),
};

/** Keywords that annotate and restrict nothing. `format` is one, by the standard's default. */
const ANNOTATIONS = new Set(
  ("$schema $id $comment $defs definitions title description default examples format deprecated " +
    "readOnly writeOnly contentEncoding contentMediaType").split(" "),
);

function resolve(reference: unknown, root: Json): unknown {
  if (typeof reference !== "string" || !/^#(\/|$)/.test(reference)) return undefined;
  let target: unknown = root;
  for (const part of unescaped(reference).split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    target = own(Array.isArray(target) ? { ...target } : target, key)[0];
  }
  return target;
}

function unescaped(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch (error) {
    if (error instanceof URIError) return reference;
    throw error;
  }
}

function validate(schema: unknown, value: unknown, location: Location): readonly SchemaIssue[] {
  if (location.depth > MAX_DEPTH) location.effort.remaining = 0;
  if (location.effort.remaining-- <= 0) return NONE;
  if (schema === false) return [{ path: location.path, message: "expected nothing here" }];
  if (!isJsonObject(schema)) return NONE;
  const inner = { ...location, schema, depth: location.depth + 1 };
  const ofType = "type" in schema ? KEYWORDS.type?.(schema.type, value, inner) ?? NONE : NONE;
  if (ofType.length > 0) return ofType;
  return Object.entries(schema).flatMap(([name, rule]) =>
    name === "type" || !Object.hasOwn(KEYWORDS, name) ? [] : KEYWORDS[name]?.(rule, value, inner) ??
      []
  );
}

/** Keywords whose value is a schema, a list of schemas, or a map of schemas. */
const NESTED = ["additionalProperties", "items", "not"];
const NESTED_LISTS = ["prefixItems", "allOf", "anyOf", "oneOf"];
const NESTED_MAPS = ["properties", "patternProperties", "$defs", "definitions"];

/** Refuses a schema with keywords that are not implemented: a restriction is never ignored. */
function checkSchema(schema: unknown, root: Json): void {
  if (typeof schema === "boolean") return;
  if (!isJsonObject(schema)) {
    throw new TypeError(`Cannot use the schema: expected an object, got ${canonical(schema)}`);
  }
  for (const name of Object.keys(schema)) {
    if (Object.hasOwn(KEYWORDS, name) || ANNOTATIONS.has(name) || name.startsWith("x-")) continue;
    throw new TypeError(`Cannot use the schema: the keyword "${name}" is not supported`);
  }
  if ("$ref" in schema && resolve(schema.$ref, root) === undefined) {
    throw new TypeError(`Cannot use the schema: there is no "${schema.$ref}" in it`);
  }
  if (typeof schema.pattern === "string") new RegExp(schema.pattern, "u");
  for (const pattern of Object.keys(schema.patternProperties ?? {})) new RegExp(pattern, "u");
  for (const name of NESTED) if (name in schema) checkSchema(schema[name], root);
  for (const name of NESTED_LISTS) {
    for (const nested of listed(schema[name])) checkSchema(nested, root);
  }
  for (const name of NESTED_MAPS) {
    for (const nested of Object.values(schema[name] ?? {})) checkSchema(nested, root);
  }
}

/**
 * Returns a validator for a JSON Schema (draft 2020-12): it returns the violations of a value, none
 * for a valid one.
 *
 * @throws {TypeError} The schema uses a keyword that is not checked here, or refers to nothing.
 */
export function schemaValidator(schema: Json): (value: unknown) => readonly SchemaIssue[] {
  const root: Json = structuredClone(schema);
  checkSchema(root, root);
  return (value) => {
    const effort = { remaining: MAX_EFFORT };
    const issues = validate(root, value, { path: "", schema: root, root, depth: 0, effort });
    return effort.remaining < 0
      ? [{ path: "", message: "too large, or nested too deeply" }]
      : issues;
  };
}
