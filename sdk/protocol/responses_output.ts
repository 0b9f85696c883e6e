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

/**
 * Whether an item is whole: `incomplete` where the response was cut inside of it.
 *
 * @example
 * ```ts
 * import type { ResponseItemStatus } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const isWhole = (status: ResponseItemStatus) => status === "completed";
 * assertEquals(isWhole("incomplete"), false);
 * ```
 */
export type ResponseItemStatus = "in_progress" | "completed" | "incomplete";

/**
 * A message that a model wrote.
 *
 * @example
 * ```ts
 * import type { ResponseOutputMessage } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const message: ResponseOutputMessage = {
 *   type: "message",
 *   id: "msg_1",
 *   role: "assistant",
 *   status: "completed",
 *   content: [{ type: "output_text", text: "Hello", annotations: [], logprobs: [] }],
 * };
 * const texts = message.content.map((part) => part.type === "output_text" ? part.text : "");
 * assertEquals(texts.join(""), "Hello");
 * ```
 */
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
 *
 * @example
 * ```ts
 * import type { ResponseFunctionCall, ResponseFunctionCallOutput } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const call: ResponseFunctionCall = {
 *   type: "function_call",
 *   id: "fc_1",
 *   call_id: "call_1",
 *   status: "completed",
 *   name: "get_weather",
 *   arguments: '{"city":"Oslo"}',
 *   thought_signature: "CiQB",
 * };
 * const result: ResponseFunctionCallOutput = {
 *   type: "function_call_output",
 *   call_id: call.call_id,
 *   output: "Rain",
 * };
 * // Both go into the next request's input, the call as it came.
 * assertEquals([call, result].map((item) => item.call_id), ["call_1", "call_1"]);
 * ```
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
 *
 * @example
 * ```ts
 * import type { ResponseCustomToolCall } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const call: ResponseCustomToolCall = {
 *   type: "custom_tool_call",
 *   id: "ctc_1",
 *   call_id: "call_1",
 *   name: "sql",
 *   input: "select 1",
 * };
 * const result = { type: "custom_tool_call_output", call_id: call.call_id, output: "1" };
 * assertEquals(result.call_id, "call_1");
 * ```
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

/**
 * What a model thought before it answered.
 *
 * @example
 * ```ts
 * import type { ResponseReasoningItem } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const item: ResponseReasoningItem = {
 *   type: "reasoning",
 *   id: "rs_1",
 *   status: "completed",
 *   encrypted_content: null,
 *   summary: [{ type: "summary_text", text: "The user greets." }],
 *   content: [],
 * };
 * assertEquals(item.summary[0]?.text, "The user greets.");
 * ```
 */
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

/**
 * A search of the web that the service ran.
 *
 * @example
 * ```ts
 * import type { ResponseWebSearchCall } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const call: ResponseWebSearchCall = {
 *   type: "web_search_call",
 *   id: "ws_1",
 *   status: "completed",
 *   action: { type: "search", query: "weather Oslo", sources: [] },
 * };
 * assertEquals(call.action.type === "search" && call.action.query, "weather Oslo");
 * ```
 */
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

/**
 * A file that a search found.
 *
 * @example
 * ```ts
 * import type { FileSearchResult } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const results: FileSearchResult[] = [
 *   { file_id: "file_1", filename: "handbook.md", score: 0.91, text: "Holidays: 30 days" },
 *   { file_id: "file_2", filename: "menu.md", score: 0.12, text: "Soup" },
 * ];
 * assertEquals(results.filter(({ score }) => score > 0.5).map(({ filename }) => filename), [
 *   "handbook.md",
 * ]);
 * ```
 */
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

/**
 * A search of vector stores that the service ran.
 *
 * @example
 * ```ts
 * import type { ResponseFileSearchCall } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const call: ResponseFileSearchCall = {
 *   type: "file_search_call",
 *   id: "fs_1",
 *   status: "completed",
 *   queries: ["holidays"],
 *   results: null,
 * };
 * // Ask for them with include: ["file_search_call.results"].
 * assertEquals(call.results, null);
 * ```
 */
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

/**
 * What a response's output is made of.
 *
 * @example
 * ```ts
 * import type { ResponseOutputItem } from "@svc/sdk/protocol";
 * import { assertEquals } from "@std/assert";
 *
 * const output: ResponseOutputItem[] = [
 *   {
 *     type: "function_call",
 *     id: "fc_1",
 *     call_id: "call_1",
 *     status: "completed",
 *     name: "get_time",
 *     arguments: "{}",
 *   },
 * ];
 * const names = output.flatMap((item) => item.type === "function_call" ? [item.name] : []);
 * assertEquals(names, ["get_time"]);
 * ```
 */
export type ResponseOutputItem =
  | ResponseOutputMessage
  | ResponseFunctionCall
  | ResponseReasoningItem
  | ResponseWebSearchCall
  | ResponseFileSearchCall;
