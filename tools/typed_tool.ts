import { schemaValidator } from "./json_schema.ts";
import { type Tool, type ToolContext, ToolError } from "./tool.ts";

/** A JSON Schema (draft 2020-12) of an object. Its `default`s are for the model to read. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * A schema of a library that implements [Standard Schema](https://standardschema.dev) and writes
 * JSON Schema: zod from 4.2 on, and others.
 *
 * @example
 * ```ts
 * import type { StandardSchema } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 * import { z } from "zod";
 *
 * const schema: StandardSchema<{ city: string }> = z.object({ city: z.string() });
 * const result = await schema["~standard"].validate({ city: 7 });
 * assertEquals(result.issues?.length, 1);
 * ```
 */
export interface StandardSchema<Output = unknown> {
  /** The members that the standard demands. */
  readonly "~standard": {
    /** Validates a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** Writes the schema as JSON Schema. */
    readonly jsonSchema: {
      /** Returns the schema of the input. */
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

/** A value that fits a {@linkcode StandardSchema}, or the violations. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

/** A violation of a {@linkcode StandardSchema}. */
export interface StandardIssue {
  /** The expected value. */
  readonly message: string;
  /** Path as keys from the value inwards. */
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/**
 * The type of the values that fit a schema; `unknown` for a schema without types.
 *
 * @example
 * ```ts
 * import type { InputOf } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const schema = {
 *   type: "object",
 *   properties: { city: { type: "string" }, days: { type: "integer" } },
 *   required: ["city"],
 * } as const;
 * const input: InputOf<typeof schema> = { city: "Oslo" };
 * assertEquals(input.days ?? 1, 1);
 * ```
 */
export type InputOf<Schema> = Schema extends StandardSchema<infer Output> ? Output
  : Schema extends { readonly const: infer Constant } ? Constant
  : Schema extends { readonly enum: readonly (infer Choice)[] } ? Choice
  : Schema extends { readonly anyOf: readonly (infer Alternative)[] } ? InputOf<Alternative>
  : Schema extends { readonly oneOf: readonly (infer Alternative)[] } ? InputOf<Alternative>
  : Schema extends { readonly type: readonly (infer Type)[] } ? TypeNamed<Type, Schema>
  : Schema extends { readonly type: infer Type } ? TypeNamed<Type, Schema>
  : unknown;

/** The type that a JSON Schema's `type` names. */
export type TypeNamed<Type, Schema> = Type extends "string" ? string
  : Type extends "number" | "integer" ? number
  : Type extends "boolean" ? boolean
  : Type extends "null" ? null
  : Type extends "array"
    ? Schema extends { readonly items: infer Item } ? readonly InputOf<Item>[] : readonly unknown[]
  : Type extends "object"
    ? Schema extends { readonly properties: infer Properties }
      ? ObjectOf<Properties, RequiredOf<Schema>>
    : Readonly<Record<string, unknown>>
  : unknown;

/** The names that a JSON Schema requires. */
export type RequiredOf<Schema> = Schema extends { readonly required: readonly (infer Name)[] }
  ? Name
  : never;

/** An object of the properties of a JSON Schema. */
export type ObjectOf<Properties, Required> =
  & {
    readonly [Name in keyof Properties as Name extends Required ? Name : never]: InputOf<
      Properties[Name]
    >;
  }
  & {
    readonly [Name in keyof Properties as Name extends Required ? never : Name]?:
      | InputOf<Properties[Name]>
      | undefined;
  };

/** Input of {@linkcode tool}. */
export interface ToolDefinition<Schema> {
  /** 1 to 64 of `[A-Za-z0-9_-]`. */
  readonly name: string;
  /** Purpose and use of the tool; the model reads it to decide on a call. */
  readonly description: string;
  /** The input: a JSON Schema, or a schema of zod. */
  readonly parameters: Schema;
  /** Runs it with input that fits `parameters`. */
  readonly execute: (input: InputOf<Schema>, context: ToolContext) => unknown;
  /** Longest run of one call in milliseconds, as in {@linkcode Tool}. */
  readonly timeoutMs?: number | undefined;
}

const MAX_ISSUES = 5;
const MAX_ISSUE_CHARS = 300;

/**
 * Creates a tool whose input is validated and typed. Invalid input never reaches `execute`: the
 * model receives the corrections, as a {@linkcode ToolError} with the code
 * `invalid_tool_arguments`.
 *
 * @example
 * ```ts
 * import { tool } from "@svc/tools";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const area = tool({
 *   name: "area",
 *   description: "Area of a rectangle in square metres",
 *   parameters: {
 *     type: "object",
 *     properties: { width: { type: "number" }, height: { type: "number" } },
 *     required: ["width", "height"],
 *     additionalProperties: false,
 *   },
 *   execute: ({ width, height }) => width * height,
 * });
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * assertEquals(await area.execute?.({ width: 2, height: 3 }, context), 6);
 * await assertRejects(async () => await area.execute?.({ width: "2" }, context));
 * ```
 *
 * @throws {TypeError} The name is not valid, or the schema is not of an object or has a restriction that cannot be checked.
 */
export function tool<const Schema extends JsonSchema | StandardSchema>(
  definition: ToolDefinition<Schema>,
): Tool {
  const { name, description, parameters, execute, timeoutMs } = definition;
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) {
    throw new TypeError(`Cannot name a tool "${name}": expected 1 to 64 of A-Z a-z 0-9 _ -`);
  }
  const { jsonSchema, decode } = isStandard(parameters)
    ? standardInput(parameters)
    : plainInput(parameters);
  if (jsonSchema.type !== "object") {
    throw new TypeError(
      `Cannot take the parameters of the tool "${name}": their schema must be of the type "object"`,
    );
  }
  return {
    name,
    description,
    parameters: jsonSchema,
    timeoutMs,
    async execute(input, context) {
      // The decoder has established the type that the schema describes.
      return await execute(await decode(input) as InputOf<Schema>, context);
    },
  };
}

interface Input {
  readonly jsonSchema: JsonSchema;
  readonly decode: (input: unknown) => unknown;
}

function isStandard(schema: JsonSchema | StandardSchema): schema is StandardSchema {
  return "~standard" in schema;
}

function standardInput(schema: StandardSchema): Input {
  const { validate, jsonSchema } = schema["~standard"];
  if (jsonSchema === undefined) {
    throw new TypeError("Cannot use the schema: it writes no JSON Schema; zod does from 4.2 on");
  }
  return {
    jsonSchema: jsonSchema.input({ target: "draft-2020-12" }),
    async decode(input) {
      const result = await validate(input);
      if (result.issues === undefined) return result.value;
      throw invalid(result.issues.map(({ message, path = [] }) => {
        const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
        return { path: keys.join("."), message };
      }));
    },
  };
}

function plainInput(schema: JsonSchema): Input {
  const issuesOf = schemaValidator(schema);
  return {
    jsonSchema: schema,
    decode(input) {
      const issues = issuesOf(input);
      if (issues.length > 0) throw invalid(issues);
      return input;
    },
  };
}

function invalid(
  issues: readonly { readonly path: string; readonly message: string }[],
): ToolError {
  const shown = issues.slice(0, MAX_ISSUES).map(({ path, message }) =>
    (path === "" ? message : `${path}: ${message}`).slice(0, MAX_ISSUE_CHARS)
  );
  const omitted = issues.length - shown.length;
  const more = omitted > 0 ? `; and ${omitted} more` : "";
  return new ToolError(`The arguments do not fit the parameters: ${shown.join("; ")}${more}`, {
    code: "invalid_tool_arguments",
  });
}
