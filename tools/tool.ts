/**
 * What a tool is: a declaration that a model reads, and the function that runs when it is called.
 *
 * @module
 */

/** What a tool's function is told besides its input. */
export interface ToolContext {
  /** Id of the call that the model made. */
  readonly toolCallId: string;
  /** Aborted when the result is not wanted any more. */
  readonly signal: AbortSignal;
}

/** Runs a tool. The input is what the model sent, parsed from JSON. */
export type ToolExecute = (input: unknown, context: ToolContext) => unknown | Promise<unknown>;

/**
 * A tool that a model may be offered.
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
  /** What the model reads to decide whether to call it. */
  readonly description?: string | undefined;
  /** JSON Schema of the input. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Runs a call. Absent: the tool is only declared; a handler of its name, or the application, answers. */
  readonly execute?: ToolExecute | undefined;
  /**
   * Longest run of one call in milliseconds; 0 or less: no limit. Absent: the limit of whoever runs
   * the tool.
   */
  readonly timeoutMs?: number | undefined;
}

/**
 * A failure of a tool that the model is told about in the tool's own words, so that it can try
 * something else. Of every other error that a tool throws the model learns only that there was one:
 * its text may hold secrets.
 *
 * Whoever runs tools recognises it by its `name`, so that copies of this package understand each
 * other.
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
  /** Tells it from other errors where classes cannot be compared. */
  override name = "ToolError";
  /** What went wrong, in `snake_case`. */
  readonly code: string;

  /** An error whose message the model reads. */
  constructor(message: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(message, options);
    this.code = options.code ?? "tool_failed";
  }
}
