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

/** State of an item; `incomplete` where the response ended inside it. */
export type ResponseItemStatus = "in_progress" | "completed" | "incomplete";

/** A message that a model wrote. */
export interface ResponseOutputMessage extends Extensible {
  /** Kind of the item. */
  type: "message";
  /** For instance `msg_…`. */
  id: string;
  /** Models write no others. */
  role: "assistant";
  /** State of the item. */
  status: ResponseItemStatus;
  /** Its parts. */
  content: (OutputTextPart | RefusalPart)[];
}

/**
 * A tool call of a model. Send it back whole: `extra_content` and `thought_signature` are opaque to
 * all but the provider that wrote them.
 */
export interface ResponseFunctionCall extends Extensible {
  /** Kind of the item. */
  type: "function_call";
  /** For instance `fc_…`. */
  id: string;
  /** Id of the call; the item with the result repeats it. */
  call_id: string;
  /** Name of a declared function; models do invent others. */
  name: string;
  /** The input as JSON text; a model may write text that does not parse. */
  arguments: string;
  /** State of the item. */
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
  /** Kind of the item. */
  type: "custom_tool_call";
  /** For instance `ctc_…`. */
  id: string;
  /** Id of the call; the item with the result repeats it. */
  call_id: string;
  /** Name of the tool. */
  name: string;
  /** Input of the tool, as the model wrote it. */
  input: string;
}

/** Reasoning of a model before its answer. */
export interface ResponseReasoningItem extends Extensible {
  /** Kind of the item. */
  type: "reasoning";
  /** For instance `rs_…`. */
  id: string;
  /** Summary of the reasoning; empty unless the request asked for one. */
  summary: SummaryTextPart[];
  /** The reasoning itself; empty where a summary was requested. */
  content: ReasoningTextPart[];
  /** Not carried by translated upstreams. */
  encrypted_content: string | null;
  /** State of the item. */
  status: ResponseItemStatus;
}

/** A search of the web that the service ran. */
export interface ResponseWebSearchCall extends Extensible {
  /** Kind of the item. */
  type: "web_search_call";
  /** For instance `ws_…`. */
  id: string;
  /** State of the search. */
  status: "in_progress" | "searching" | "completed" | "failed";
  /** The query; or, for upstreams that search by themselves, the page that was read. */
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
  /** Text of the file that matches. */
  text: string;
  /** The owner's own pairs. */
  attributes?: Record<string, string | number | boolean> | null;
}

/** A search of vector stores that the service ran. */
export interface ResponseFileSearchCall extends Extensible {
  /** Kind of the item. */
  type: "file_search_call";
  /** For instance `fs_…`. */
  id: string;
  /** State of the search. */
  status: "in_progress" | "searching" | "completed" | "failed" | "incomplete";
  /** Queries of the search. */
  queries: string[];
  /** Matches of the search; `null` unless `include` asks for them. */
  results: FileSearchResult[] | null;
}

/** An item of a response's output. */
export type ResponseOutputItem =
  | ResponseOutputMessage
  | ResponseFunctionCall
  | ResponseReasoningItem
  | ResponseWebSearchCall
  | ResponseFileSearchCall;
