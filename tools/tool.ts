/**
 * The contract of a tool: a declaration that a model reads, and the function that runs when it is
 * called.
 *
 * @module
 */

/** Context of a tool call. */
export interface ToolContext {
  /** Id of the call that the model made. */
  readonly toolCallId: string;
  /** Aborted when the result is no longer needed. */
  readonly signal: AbortSignal;
}

/** Runs a tool. The input is the model's JSON, parsed. */
export type ToolExecute = (input: unknown, context: ToolContext) => unknown | Promise<unknown>;

/**
 * A tool for a model.
 *
 * @example
 * ```ts
 * import type { Tool } from "@svc/tools";
 * import { assert } from "@std/assert";
 *
 * const clock: Tool = {
 *   name: "clock",
 *   description: "Tells the present time",
 *   parameters: { type: "object", properties: {} },
 *   execute: () => new Date().toISOString(),
 * };
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * assert(String(await clock.execute?.({}, context)).endsWith("Z"));
 * ```
 */
export interface Tool {
  /** 1 to 64 of `[A-Za-z0-9_-]`. */
  readonly name: string;
  /** Purpose of the tool; the model reads it to decide on a call. */
  readonly description?: string | undefined;
  /** JSON Schema of the input. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Runs a call. Absent: the tool is only declared; a handler of its name, or the application, answers. */
  readonly execute?: ToolExecute | undefined;
  /** Longest run of one call in milliseconds; 0 or less: no limit. Absent: the runner's limit. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A failure of a tool with a message for the model, so that it can try another way. The text of any
 * other error is withheld from the model: it may hold secrets.
 *
 * Runners recognise it by its `name`, so that copies of this package understand each other.
 *
 * @example
 * ```ts
 * import { ToolError } from "@svc/tools";
 * import { assertThrows } from "@std/assert";
 *
 * const tool = {
 *   name: "square_root",
 *   parameters: { type: "object", properties: { of: { type: "number" } } },
 *   execute(input: unknown): number {
 *     const of = Number(Object(input).of);
 *     if (of < 0) throw new ToolError(`Cannot take the root of a negative number: ${of}`);
 *     return Math.sqrt(of);
 *   },
 * };
 * assertThrows(() => tool.execute({ of: -1 }), ToolError, "negative number: -1");
 * ```
 */
export class ToolError extends Error {
  /** The class's name, for code that cannot compare classes. */
  override name = "ToolError";
  /** Kind of the failure, in `snake_case`. */
  readonly code: string;

  /** Creates an error whose message the model reads. */
  constructor(message: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(message, options);
    this.code = options.code ?? "tool_failed";
  }
}

/** Key that all copies of the package share. */
const CONTENT = Symbol.for("@svc/tools/content");

/** An image in the result of a tool. */
export interface ToolImage {
  /** Media type, such as `image/png`. */
  readonly mediaType: string;
  /** The bytes in base64. */
  readonly data: string;
}

/**
 * A result with images beside its text. Results of tools are text in most formats: a run shows the
 * images in the message that follows.
 *
 * @example
 * ```ts
 * import { type Tool, ToolContent } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const camera: Tool = {
 *   name: "camera",
 *   parameters: { type: "object", properties: {} },
 *   execute: () => new ToolContent("The gate", [{ mediaType: "image/png", data: "iVBORw0KGgo=" }]),
 * };
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * assertEquals(String(await camera.execute?.({}, context)), "The gate");
 * ```
 */
export class ToolContent {
  /** The text. */
  readonly text: string;
  /** The images, in order. */
  readonly images: readonly ToolImage[];
  /** Marks the instances of all copies of this class. */
  readonly [CONTENT] = true;

  /** Creates a result. */
  constructor(text: string, images: readonly ToolImage[]) {
    this.text = text;
    this.images = images;
  }

  /** Returns the text. */
  toString(): string {
    return this.text;
  }

  /** True for an instance of this class from any copy of the package. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return Object(value)[CONTENT] === true;
  }
}
