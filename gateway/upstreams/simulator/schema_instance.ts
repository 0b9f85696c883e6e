/**
 * The smallest instance of a JSON Schema.
 *
 * Supports `type` (also a list), `enum`, `const`, `properties`, `required`, `additionalProperties`,
 * `minProperties`, `items`, `prefixItems`, `minItems`, `maxItems`, `minLength`, `maxLength`,
 * `format`, the bounds and `multipleOf` of numbers, `anyOf`, `oneOf` (the first branch that can be
 * built), `allOf`, and `$ref` into the same document. A schema with other keywords has no instance,
 * rather than a wrong one.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { Instance } from "./instance.ts";
import type { PromptValues } from "./prompt_values.ts";
import { allowsNumber, smallestNumber, smallestText } from "./schema_scalars.ts";
import { mergeSchemas } from "./schema_merge.ts";
import type { JsonRecord } from "./chat_request.ts";

const UNSUPPORTED = ["not", "if", "contains", "dependentRequired", "dependentSchemas"] as const;

// Maximum number of steps, for schemas that branch without end; usual ones take a few dozen.
const MOST_STEPS = 20_000;
const DEEPEST = 200;

interface Build {
  readonly root: unknown;
  /** References that are being followed: the smallest instance never needs one inside itself. */
  readonly following: readonly string[];
  readonly progress: { steps: number; depth: number };
  /** Texts for strings without other constraints. */
  readonly hints: string[];
  /** Values from a question. */
  readonly prompt: PromptValues | undefined;
  /** A value to use where the schema allows it, without members that the schema does not name. */
  readonly preset: unknown;
  /** Name of the property that is built. */
  readonly name: string;
  readonly isRequired: boolean;
  /** True for a property of a property, which questions do not name. */
  readonly isInner: boolean;
}

/** Sources of values. Other values are made up. */
export interface InstanceOptions {
  /** Values of plain strings, in order. */
  readonly hints?: readonly string[];
  /**
   * Values from a question, by property name. Optional properties are built only for such values.
   */
  readonly prompt?: PromptValues | undefined;
  /** A value that may fit the schema in part. */
  readonly preset?: unknown;
}

/** Builds the smallest instance of a schema. */
export function instanceOf(schema: unknown, options: InstanceOptions = {}): Instance {
  const { hints = [], prompt, preset } = options;
  return build(schema, {
    ...{ root: schema, following: [], progress: { steps: 0, depth: 0 }, hints: [...hints] },
    ...{ prompt, preset, name: "", isRequired: true, isInner: false },
  });
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
  if (!isJsonObject(schema)) return { value: "simulated" };
  if (UNSUPPORTED.some((keyword) => schema[keyword] !== undefined)) return undefined;
  if (typeof schema.$ref === "string") return follow(schema.$ref, schema, context);
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branches = schema[keyword];
    if (!Array.isArray(branches)) continue;
    const { [keyword]: _, ...own } = schema;
    return firstKnown(
      branches,
      context,
      (branch, known) => build(mergeSchemas(own, branch), known),
    );
  }
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...own } = schema;
    return build(allOf.reduce(mergeSchemas, own), context);
  }
  if (Object.hasOwn(schema, "const")) return { value: schema.const };
  if (Array.isArray(schema.enum)) return chooseListed(schema, schema.enum, context);
  return firstKnown(typesOf(schema), context, (type, known) => buildType(type, schema, known));
}

/** Returns the first instance of the candidates. Null is preferred to a value that is made up. */
function firstKnown<T>(
  candidates: readonly T[],
  context: Build,
  attempt: (candidate: T, context: Build) => Instance,
): Instance {
  const { preset, prompt } = context;
  const isNull = (one: T) => one === "null" || isJsonObject(one) && one.type === "null";
  if (!candidates.some(isNull) || (prompt === undefined && preset === undefined)) {
    return first(candidates, (one) => attempt(one, context));
  }
  const others = candidates.filter((one) => !isNull(one));
  const undo = prompt?.mark();
  const before = prompt?.useCount ?? 0;
  const optional = { ...context, isRequired: false };
  const instance = first(others, (one) => attempt(one, optional));
  const isKnown = (prompt?.useCount ?? 0) > before || (preset ?? null) !== null;
  if (instance !== undefined && isKnown) return instance;
  undo?.();
  return { value: null };
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

function chooseListed(
  schema: JsonRecord,
  listed: readonly unknown[],
  { preset, prompt }: Build,
): Instance {
  const types = schema.type === undefined ? undefined : typesOf(schema);
  const fitting = listed.filter((value) =>
    types === undefined || types.some((type) => isOfType(value, type))
  );
  if (fitting.includes(preset)) return { value: preset };
  const known = prompt?.listed(fitting);
  if (known !== undefined) return known;
  if (prompt !== undefined && fitting.includes(null)) return { value: null };
  return fitting.length === 0 ? undefined : { value: fitting[0] };
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
      return buildText(schema, context);
    case "number":
    case "integer":
      return buildNumber(schema, { integer: type === "integer" }, context);
    case "boolean":
      if (typeof context.preset === "boolean") return { value: context.preset };
      return context.prompt?.flag(context.name) ?? { value: false };
    case "null":
      return { value: null };
    default:
      return undefined;
  }
}

function buildText(
  schema: JsonRecord,
  { preset, hints, isInner, isRequired, name, prompt }: Build,
): Instance {
  const { minLength, maxLength } = schema;
  const fits = typeof preset === "string" && preset.length >= Number(minLength ?? 0) &&
    preset.length <= Number(maxLength ?? Infinity);
  if (fits) return { value: preset };
  const known = prompt?.text(name, schema, { isRequired });
  if (known !== undefined) return known;
  if (!isInner) prompt?.guess();
  return smallestText(schema, hints);
}

function buildNumber(
  schema: JsonRecord,
  { integer }: { readonly integer: boolean },
  { preset, isInner, isRequired, name, prompt }: Build,
): Instance {
  const allows = allowsNumber(schema, { integer });
  if (typeof preset === "number" && allows(preset)) return { value: preset };
  const known = prompt?.number(name, { isRequired, allows });
  if (known !== undefined) return known;
  if (!isInner) prompt?.guess();
  return smallestNumber(schema, { integer });
}

function buildObject(schema: JsonRecord, context: Build): Instance {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const others = schema.additionalProperties ?? true;
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : [];
  const names = new Set(required.filter((name) => typeof name === "string"));
  const least = typeof schema.minProperties === "number" ? schema.minProperties : 0;
  for (const name of Object.keys(properties)) if (names.size < least) names.add(name);
  for (let extra = 1; names.size < least && extra <= MOST_STEPS; extra++) names.add(`key${extra}`);
  const entries: [string, unknown][] = [];
  const isInner = context.name !== "";
  for (const name of names) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : others;
    const preset = memberOf(context.preset, name);
    const instance = build(schema, { ...context, name, preset, isInner, isRequired: true });
    if (instance === undefined) return undefined;
    entries.push([name, instance.value]);
  }
  for (const name of Object.keys(properties)) {
    const value = names.has(name) ? undefined : buildOptional(properties[name], name, context);
    if (value !== undefined) entries.push([name, value.value]);
  }
  return { value: Object.fromEntries(entries) };
}

/** Builds an optional property from known values only. */
function buildOptional(schema: unknown, name: string, context: Build): Instance {
  const preset = memberOf(context.preset, name);
  const { prompt } = context;
  if (preset === undefined && prompt === undefined) return undefined;
  const undo = prompt?.mark();
  const before = prompt?.useCount ?? 0;
  const instance = build(schema, { ...context, name, preset, isRequired: false });
  if (preset !== undefined || (prompt?.useCount ?? 0) > before) return instance;
  undo?.();
  return undefined;
}

function memberOf(preset: unknown, name: string): unknown {
  return isJsonObject(preset) && Object.hasOwn(preset, name) ? preset[name] : undefined;
}

function buildArray(schema: JsonRecord, context: Build): Instance {
  const least = typeof schema.minItems === "number" ? schema.minItems : 0;
  const most = typeof schema.maxItems === "number" ? schema.maxItems : Infinity;
  if (least > most || (schema.uniqueItems === true && least > 1)) return undefined;
  const positions = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
  const values = positions.length > 0 ? [] : knownItems(schema, most, context);
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

/** Returns the items that are in the given value or in the question, within the schema's bounds. */
function knownItems(schema: JsonRecord, most: number, context: Build): unknown[] {
  const { preset, prompt } = context;
  const values: unknown[] = [];
  const room = Math.min(most, MOST_ITEMS);
  if (Array.isArray(preset)) {
    for (const one of preset.slice(0, room)) {
      const instance = build(schema.items ?? true, { ...context, preset: one });
      if (instance !== undefined) values.push(instance.value);
    }
    return values;
  }
  while (prompt !== undefined && values.length < room) {
    const undo = prompt.mark();
    const before = prompt.useCount;
    const instance = build(schema.items ?? true, context);
    const isNew = prompt.useCount > before && !values.includes(instance?.value);
    if (instance === undefined || !isNew) {
      undo();
      break;
    }
    values.push(instance.value, ...prompt.others);
    prompt.others = [];
  }
  return values.slice(0, room);
}

const MOST_ITEMS = 32;
