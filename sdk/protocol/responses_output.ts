/**
 * The items of Responses that come out.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";
import type {
  OutputTextPart,
  ReasoningTextPart,
  RefusalPart,
  SummaryTextPart,
} from "./responses_parts.ts";

/** Whether an item is whole: `incomplete` where the response was cut inside of it. */
export type ResponseItemStatus = "in_progress" | "completed" | "incomplete";

/** A message that a model wrote. */
export interface ResponseOutputMessage extends Extensible {
  /** Tells the kinds of items apart. */
  type: "message";
  /** For instance `msg_…`. */
  id: string;
  /** Models write no others. */
  role: "assistant";
  /** Whether it is whole. */
  status: ResponseItemStatus;
  /** Its parts. */
  content: (OutputTextPart | RefusalPart)[];
}

/**
 * A tool call that a model made. Echo it back whole: `extra_content` and `thought_signature` are
 * opaque to everybody but the provider that wrote them.
 */
export interface ResponseFunctionCall extends Extensible {
  /** Tells the kinds of items apart. */
  type: "function_call";
  /** For instance `fc_…`. */
  id: string;
  /** What the item with the result quotes. */
  call_id: string;
  /** Name of a declared function; models do invent others. */
  name: string;
  /** The input as JSON text; a model may write text that does not parse. */
  arguments: string;
  /** Whether it is whole. */
  status: ResponseItemStatus;
  /** Opaque provider extensions, preserved byte for byte. */
  extra_content?: Record<string, unknown>;
  /** Opaque signature of some providers, preserved byte for byte. */
  thought_signature?: string;
}

/**
 * A call of a tool that the request declared with the type `custom`: its input is text in no special
 * form. Its result goes back as a `custom_tool_call_output` item.
 */
export interface ResponseCustomToolCall extends Extensible {
  /** Tells the kinds of items apart. */
  type: "custom_tool_call";
  /** For instance `ctc_…`. */
  id: string;
  /** What the item with the result quotes. */
  call_id: string;
  /** Name of the tool. */
  name: string;
  /** What the model wrote for it. */
  input: string;
}

/** What a model thought before it answered. */
export interface ResponseReasoningItem extends Extensible {
  /** Tells the kinds of items apart. */
  type: "reasoning";
  /** For instance `rs_…`. */
  id: string;
  /** Where the request asked for a summary. */
  summary: SummaryTextPart[];
  /** Where it did not. */
  content: ReasoningTextPart[];
  /** Not carried by translated upstreams. */
  encrypted_content: string | null;
  /** Whether it is whole. */
  status: ResponseItemStatus;
}

/** A search of the web that the service ran. */
export interface ResponseWebSearchCall extends Extensible {
  /** Tells the kinds of items apart. */
  type: "web_search_call";
  /** For instance `ws_…`. */
  id: string;
  /** How it stands. */
  status: "in_progress" | "searching" | "completed" | "failed";
  /** What was searched for; or, of upstreams that search by themselves, which page was read. */
  action:
    | { type: "search"; query: string; sources?: { type: "url"; url: string }[] }
    | { type: "open_page"; url?: string | null }
    | { type: "find_in_page"; pattern: string; url: string };
}

/** A file that a search found. */
export interface FileSearchResult extends Extensible {
  /** The file. */
  file_id: string;
  /** Its name. */
  filename: string;
  /** 0 to 1: how well it fits. */
  score: number;
  /** What was found in it. */
  text: string;
  /** The owner's own pairs. */
  attributes?: Record<string, string | number | boolean> | null;
}

/** A search of vector stores that the service ran. */
export interface ResponseFileSearchCall extends Extensible {
  /** Tells the kinds of items apart. */
  type: "file_search_call";
  /** For instance `fs_…`. */
  id: string;
  /** How it stands. */
  status: "in_progress" | "searching" | "completed" | "failed" | "incomplete";
  /** What was searched for. */
  queries: string[];
  /** What was found, where `include` asks for it. */
  results: FileSearchResult[] | null;
}

/** What a response's output is made of. */
export type ResponseOutputItem =
  | ResponseOutputMessage
  | ResponseFunctionCall
  | ResponseReasoningItem
  | ResponseWebSearchCall
  | ResponseFileSearchCall;
