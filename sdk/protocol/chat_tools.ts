/**
 * Tools of Chat Completions: their declarations, and the choice among them.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** What a model is told about a function. */
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

/** A function the caller runs. */
export interface FunctionTool extends Extensible {
  /** Tells it from hosted tools, also from one of the same name. */
  type: "function";
  /** Its declaration. */
  function: FunctionDefinition;
}

/** A tool that the service runs. */
export interface HostedTool extends Extensible {
  /** `web_search_preview`, or `file_search` with its `vector_store_ids`. */
  type: string;
}

/** A tool declaration. */
export type ChatTool = FunctionTool | HostedTool;

/** The one tool that the model must call. */
export interface NamedToolChoice extends Extensible {
  /** `function`, or the type of a hosted tool. */
  type: string;
  /** The function, where `type` is `function`. */
  function?: {
    /** Name of a declared function. */
    name: string;
  };
}

/** Which tool the model must or may call. */
export type ChatToolChoice = "none" | "auto" | "required" | NamedToolChoice;
