/**
 * The items of Responses: what goes in, and what comes out.
 *
 * @module
 */

import type { Extensible } from "./extensible.ts";

/** Text that a model reads. */
export interface InputTextPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "input_text";
  /** The words themselves. */
  text: string;
}

/** An image that a model sees. */
export interface InputImagePart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "input_image";
  /** An http(s) URL or a base64 data URI. */
  image_url?: string | null;
  /** A file kept by a provider. */
  file_id?: string | null;
  /** Resolution that the model sees. */
  detail?: "auto" | "low" | "high" | "original" | null;
}

/** A file that a model reads. */
export interface InputFilePart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "input_file";
  /** The file as a base64 data URI. */
  file_data?: string | null;
  /** Where the file is. */
  file_url?: string | null;
  /** A file kept by a provider. */
  file_id?: string | null;
  /** Its name. */
  filename?: string | null;
}

/** A page that the text cites. */
export interface UrlCitation extends Extensible {
  /** Tells the kinds of annotations apart. */
  type: "url_citation";
  /** First character of the text it supports. */
  start_index: number;
  /** Character after the text it supports. */
  end_index: number;
  /** Where the page is. */
  url: string;
  /** The page's title. */
  title: string;
}

/** A file that the text cites. */
export interface FileCitation extends Extensible {
  /** Tells the kinds of annotations apart. */
  type: "file_citation";
  /** The file. */
  file_id: string;
  /** Its name. */
  filename: string;
  /** Character of the text that it belongs to. */
  index: number;
}

/** A source that the text cites. */
export type ResponseAnnotation = UrlCitation | FileCitation;

/** Text that a model wrote. */
export interface OutputTextPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "output_text";
  /** The words themselves. */
  text: string;
  /** Sources that the text cites. */
  annotations: ResponseAnnotation[];
  /** Empty: log probabilities are not carried. */
  logprobs: never[];
}

/** What a model said where it refused. */
export interface RefusalPart extends Extensible {
  /** Tells the kinds of parts apart. */
  type: "refusal";
  /** The model's words. */
  refusal: string;
}

/** Reasoning as the model wrote it. */
export interface ReasoningTextPart extends Extensible {
  /** Tells it from a summary. */
  type: "reasoning_text";
  /** The words themselves. */
  text: string;
}

/** A summary of a model's reasoning. */
export interface SummaryTextPart extends Extensible {
  /** Tells it from reasoning itself. */
  type: "summary_text";
  /** The words themselves. */
  text: string;
}

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

/** A part of a kind not modelled here. */
export interface OtherInputPart extends Extensible {
  /** Its kind. */
  type: string;
}

/** Part of an input message's content. */
export type ResponseInputPart =
  | InputTextPart
  | InputImagePart
  | InputFilePart
  | OutputTextPart
  | RefusalPart
  | OtherInputPart;

/** A message of the conversation; a response's own message can be sent back as it is. */
export interface ResponseInputMessage extends Extensible {
  /** May be left out. */
  type?: "message";
  /** `system`, `developer`, `user` or `assistant`. */
  role: string;
  /** What was said. */
  content: string | ResponseInputPart[];
}

/** The result of a tool call. */
export interface ResponseFunctionCallOutput extends Extensible {
  /** Tells the kinds of items apart. */
  type: "function_call_output";
  /** The call that this is the result of. */
  call_id: string;
  /** What the function gave. */
  output: string | ResponseInputPart[];
}

/** An item of an earlier response, by its id. */
export interface ResponseItemReference extends Extensible {
  /** May be left out or `null`. */
  type?: "item_reference" | null;
  /** The item's id. */
  id: string;
}

/** An item of a kind not modelled here. */
export interface OtherInputItem extends Extensible {
  /** Its kind. */
  type: string;
}

/** What a request's input is made of. */
export type ResponseInputItem =
  | ResponseInputMessage
  | Omit<ResponseFunctionCall, "id" | "status">
  | ResponseFunctionCallOutput
  | ResponseItemReference
  | OtherInputItem;
