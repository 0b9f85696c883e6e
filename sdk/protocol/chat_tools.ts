/**
 * Tools of Chat Completions: their declarations, and the choice among them.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/**
 * What a model is told about a function.
 *
 * @example
 * ```ts
 * import type { FunctionDefinition } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const weather: FunctionDefinition = {
 *   name: "get_weather",
 *   description: "The present weather of a city",
 *   parameters: {
 *     type: "object",
 *     properties: { city: { type: "string" } },
 *     required: ["city"],
 *   },
 * };
 * assertEquals(weather.parameters?.["required"], ["city"]);
 * ```
 */
export interface FunctionDefinition extends Extensible {
  /** 1 to 64 of `[A-Za-z0-9_-]`. */
  name: string;
  /** What the model reads to decide whether to call it. */
  description?: string;
  /** JSON Schema of the input; absent: it takes none. */
  parameters?: Record<string, unknown>;
  /** True: the model's input must follow the schema exactly. */
  strict?: boolean | null;
}

/**
 * A function the caller runs.
 *
 * @example
 * ```ts
 * import type { FunctionTool } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const tool: FunctionTool = {
 *   type: "function",
 *   function: { name: "get_time", description: "The present time" },
 * };
 * assertEquals(tool.function.parameters, undefined);
 * ```
 */
export interface FunctionTool extends Extensible {
  /** Tells it from hosted tools, also from one of the same name. */
  type: "function";
  /** Its declaration. */
  function: FunctionDefinition;
}

/**
 * A tool that the service runs.
 *
 * @example
 * ```ts
 * import type { HostedTool } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const tools: HostedTool[] = [
 *   { type: "web_search_preview" },
 *   { type: "file_search", vector_store_ids: ["vs_handbook"] },
 * ];
 * assertEquals(tools[1]?.["vector_store_ids"], ["vs_handbook"]);
 * ```
 */
export interface HostedTool extends Extensible {
  /** `web_search_preview`, or `file_search` with its `vector_store_ids`. */
  type: string;
}

/**
 * A tool declaration.
 *
 * @example
 * ```ts
 * import type { ChatTool } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const tools: ChatTool[] = [
 *   { type: "function", function: { name: "get_time" } },
 *   { type: "web_search_preview" },
 * ];
 * assertEquals(tools.filter(({ type }) => type === "function").length, 1);
 * ```
 */
export type ChatTool = FunctionTool | HostedTool;

/**
 * The one tool that the model must call.
 *
 * @example
 * ```ts
 * import type { NamedToolChoice } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const choice: NamedToolChoice = { type: "function", function: { name: "get_time" } };
 * assertEquals(choice.function?.name, "get_time");
 * ```
 */
export interface NamedToolChoice extends Extensible {
  /** `function`, or the type of a hosted tool. */
  type: string;
  /** The function, where `type` is `function`. */
  function?: {
    /** Name of a declared function. */
    name: string;
  };
}

/**
 * Which tool the model must or may call.
 *
 * @example
 * ```ts
 * import type { ChatToolChoice } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const choices: ChatToolChoice[] = [
 *   "required",
 *   { type: "function", function: { name: "get_time" } },
 * ];
 * assertEquals(choices.map((choice) => typeof choice), ["string", "object"]);
 * ```
 */
export type ChatToolChoice = "none" | "auto" | "required" | NamedToolChoice;
