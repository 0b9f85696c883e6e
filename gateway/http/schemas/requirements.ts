/**
 * Fields that an object must have only where another field has a certain value. Each rule is
 * written once, for the check and for the description, so that the description is as strict as the
 * server.
 *
 * @module
 */

import type { z } from "zod";

/** One rule: where all fields of `when` have one of their values, one of `fields` is required. */
export interface Requirement {
  /** Values of other fields under which the rule holds; `null` for an absent field. */
  readonly when: Readonly<Record<string, readonly string[] | null>>;
  /** Names of the fields of which one is required; a refusal names the first. */
  readonly fields: readonly [string, ...string[]];
  /** The expectation, for the refusal. */
  readonly message: string;
  /**
   * Values that do not count as given: also `null`, or also the empty string.
   *
   * @default {"absent"}
   */
  readonly least?: "absent" | "null" | "empty";
  /** Types that a value of the fields must have. @default {any} */
  readonly types?: readonly ("string" | "array")[];
}

/** Returns the rule that objects of the types have a field. */
export function ofType(
  types: readonly string[],
  field: string,
  rest: Omit<Requirement, "when" | "fields">,
): Requirement {
  return { when: { type: types }, fields: [field], ...rest };
}

/** An issue of a schema's check. */
type Issues = { readonly value: unknown; readonly issues: z.core.$ZodRawIssue[] };

/** Adds an issue of one field. */
export function complain(ctx: Issues, field: string, message: string): void {
  ctx.issues.push({ code: "custom", input: ctx.value, path: [field], message });
}

/**
 * Returns the schema with rules that are checked after its fields and described as JSON Schema's
 * `if`.
 */
export function requiring<Shape extends z.ZodObject>(
  schema: Shape,
  requirements: readonly Requirement[],
): Shape {
  return schema.check((ctx) => {
    for (const { when, fields, message, least, types } of requirements) {
      const isMet = !holds(when, ctx.value) || fields.some((name) => {
        const value = ctx.value[name];
        return isThere(value, least) && isOf(value, types);
      });
      if (!isMet) return complain(ctx, fields[0], message);
    }
  }).meta({ allOf: requirements.map(describedAs) });
}

function holds(when: Requirement["when"], value: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(when).every(([name, values]) =>
    values === null ? (value[name] ?? null) === null : values.some((one) => one === value[name])
  );
}

function isThere(value: unknown, least: Requirement["least"] = "absent"): boolean {
  if (least === "absent") return value !== undefined;
  return least === "null" ? (value ?? null) !== null : (value ?? "") !== "";
}

function isOf(value: unknown, types: Requirement["types"]): boolean {
  return types === undefined ||
    types.some((type) => type === "array" ? Array.isArray(value) : typeof value === type);
}

function describedAs({ when, fields, least = "absent", types }: Requirement) {
  const conditions = Object.entries(when);
  const properties = conditions.map(([name, values]) => [
    name,
    values === null ? { type: "null" } : { enum: values },
  ]);
  const required = conditions.filter(([, values]) => values !== null).map(([name]) => name);
  const alternatives = fields.map((field) => ({
    required: [field],
    ...types === undefined ? {} : { properties: { [field]: { type: types } } },
    ...least === "absent" ? {} : {
      properties: { [field]: { not: least === "null" ? { type: "null" } : { enum: [null, ""] } } },
    },
  }));
  const [first, ...others] = alternatives;
  return {
    if: { properties: Object.fromEntries(properties), required },
    then: others.length === 0 ? first : { anyOf: alternatives },
  };
}
