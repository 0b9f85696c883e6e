/**
 * Tools of Chat Completions: their declarations, and the choice among them.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** Declaration of a function for the model. */
export interface FunctionDefinition extends Extensible {
  /** 1 to 64 of `[A-Za-z0-9_-]`. */
  name: string;
  /** Purpose of the function; the model reads it to decide on a call. */
  description?: string;
  /** JSON Schema of the input; absent: it takes none. */
  parameters?: Record<string, unknown>;
  /** True: the model's input must follow the schema exactly. */
  strict?: boolean | null;
}

/** A function the caller runs. */
export interface FunctionTool extends Extensible {
  /** Kind of the tool; hosted tools have other types. */
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

/** The tool that the model must or may call. */
export type ChatToolChoice = "none" | "auto" | "required" | NamedToolChoice;
