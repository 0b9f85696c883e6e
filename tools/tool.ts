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
 *
 * const clock: Tool = {
 *   name: "clock",
 *   description: "Tells the present time",
 *   parameters: { type: "object", properties: {} },
 *   execute: () => new Date().toISOString(),
 * };
 * ```
 */
export interface Tool {
  /** 1 to 64 of `[A-Za-z0-9_-]`. */
  readonly name: string;
  /** What the model reads to decide whether to call it. */
  readonly description?: string | undefined;
  /** JSON Schema of the input. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Absent: the tool is declared to the model, and the application runs it itself. */
  readonly execute?: ToolExecute | undefined;
}
