/**
 * The smallest instance of a JSON Schema.
 *
 * Supports `type` (also a list), `enum`, `const`, `properties`, `required`,
 * `additionalProperties`, `minProperties`, `items`, `prefixItems`, `minItems`, `maxItems`,
 * `minLength`, `maxLength`, `format`, the bounds and `multipleOf` of numbers, `anyOf`, `oneOf` (the
 * first branch that can be built), `allOf`, and `$ref` into the same document. A schema that needs
 * anything else has no instance here rather than a wrong one.
 *
 * @module
 */

import { smallestNumber, smallestText } from "./schema_scalars.ts";
import { isRecord } from "./record.ts";
import { mergeSchemas } from "./schema_merge.ts";
import type { JsonRecord } from "./chat_request.ts";

/** What an instance came to; `undefined` inside means that there is none. */
export type Instance = { readonly value: unknown } | undefined;

const UNSUPPORTED = ["not", "if", "contains", "dependentRequired", "dependentSchemas"] as const;

// Bounds the work on schemas that branch without end; ordinary ones take a few dozen steps.
const MOST_STEPS = 20_000;
const DEEPEST = 200;

interface Build {
  readonly root: unknown;
  /** References being followed: the smallest instance never needs one inside itself. */
  readonly following: readonly string[];
  readonly progress: { steps: number; depth: number };
  /** Texts to use for strings that may be anything. */
  readonly hints: string[];
}

/** Builds the smallest instance of a schema; plain strings take the `hints` in turn. */
export function instanceOf(schema: unknown, options: { hints?: readonly string[] } = {}): Instance {
  const hints = [...options.hints ?? []];
  return build(schema, { root: schema, following: [], progress: { steps: 0, depth: 0 }, hints });
}

function build(schema: unknown, context: Build): Instance {
  const { progress } = context;
  if (++progress.steps > MOST_STEPS || progress.depth === DEEPEST) return undefined;
  progress.depth++;
  const instance = buildSchema(schema, context);
  progress.depth--;
  return instance;
}

function buildSchema(schema: unknown, context: Build): Instance {
  if (schema === false) return undefined;
  if (!isRecord(schema)) return { value: "simulated" };
  if (UNSUPPORTED.some((keyword) => schema[keyword] !== undefined)) return undefined;
  if (typeof schema.$ref === "string") return follow(schema.$ref, schema, context);
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const { [keyword]: _, ...own } = schema;
    return first(branches, (branch) => build(mergeSchemas(own, branch), context));
  }
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...own } = schema;
    return build(allOf.reduce(mergeSchemas, own), context);
  }
  if (Object.hasOwn(schema, "const")) return { value: schema.const };
  if (Array.isArray(schema.enum)) return chooseListed(schema, schema.enum);
  return first(typesOf(schema), (type) => buildType(type, schema, context));
}

function first<T>(candidates: readonly T[], attempt: (candidate: T) => Instance): Instance {
  for (const candidate of candidates) {
    const instance = attempt(candidate);
    if (instance !== undefined) return instance;
  }
  return undefined;
}

function follow(reference: string, schema: JsonRecord, context: Build): Instance {
  if (context.following.includes(reference)) return undefined;
  const target = resolve(reference, context.root);
  if (target === undefined) return undefined;
  const { $ref: _, ...own } = schema;
  const following = [...context.following, reference];
  return build(mergeSchemas(own, target), { ...context, following });
}

function resolve(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return undefined;
  let target = root;
  for (const step of reference.split("/").slice(1)) {
    const key = step.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof target !== "object" || target === null || !Object.hasOwn(target, key)) {
      return undefined;
    }
    target = Reflect.get(target, key);
  }
  return target;
}

function chooseListed(schema: JsonRecord, listed: readonly unknown[]): Instance {
  const types = schema.type === undefined ? undefined : typesOf(schema);
  return first(listed, (value) => {
    const fits = types === undefined || types.some((type) => isOfType(value, type));
    return fits ? { value } : undefined;
  });
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (value === null) return type === "null";
  return type === (Array.isArray(value) ? "array" : typeof value);
}

const IMPLIED_TYPES = [
  ["object", ["properties", "required", "additionalProperties", "minProperties"]],
  ["array", ["items", "prefixItems", "minItems"]],
  ["number", ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]],
] as const;

function typesOf(schema: JsonRecord): string[] {
  if (typeof schema.type === "string") return [schema.type];
  if (Array.isArray(schema.type)) {
    return schema.type.filter((type): type is string => typeof type === "string");
  }
  const implied = IMPLIED_TYPES.find(([, keys]) => keys.some((key) => schema[key] !== undefined));
  return [implied?.[0] ?? "string"];
}

function buildType(type: string, schema: JsonRecord, context: Build): Instance {
  switch (type) {
    case "object":
      return buildObject(schema, context);
    case "array":
      return buildArray(schema, context);
    case "string":
      return smallestText(schema, context.hints);
    case "number":
    case "integer":
      return smallestNumber(schema, { integer: type === "integer" });
    case "boolean":
      return { value: false };
    case "null":
      return { value: null };
    default:
      return undefined;
  }
}

function buildObject(schema: JsonRecord, context: Build): Instance {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const others = schema.additionalProperties ?? true;
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = new Set(required.filter((name) => typeof name === "string"));
  const least = typeof schema.minProperties === "number" ? schema.minProperties : 0;
  for (const name of Object.keys(properties)) if (names.size < least) names.add(name);
  for (let extra = 1; names.size < least && extra <= MOST_STEPS; extra++) names.add(`key${extra}`);
  const entries: [string, unknown][] = [];
  for (const name of names) {
    const instance = build(Object.hasOwn(properties, name) ? properties[name] : others, context);
    if (instance === undefined) return undefined;
    entries.push([name, instance.value]);
  }
  return { value: Object.fromEntries(entries) };
}

function buildArray(schema: JsonRecord, context: Build): Instance {
  const least = typeof schema.minItems === "number" ? schema.minItems : 0;
  const most = typeof schema.maxItems === "number" ? schema.maxItems : Infinity;
  if (least > most || (schema.uniqueItems === true && least > 1)) return undefined;
  const positions = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const values: unknown[] = [];
  while (values.length < least) {
    const position = values.length;
    const instance = build(
      position < positions.length ? positions[position] : schema.items ?? true,
      context,
    );
    if (instance === undefined) return undefined;
    values.push(instance.value);
  }
  return { value: values };
}
