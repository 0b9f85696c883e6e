/**
 * Writes output items as JSON texts, for complete answers and for streams.
 *
 * @module
 */

import type {
  ResponseAnnotation,
  ResponseIncompleteDetails,
  ResponseItemStatus,
  ResponseLogprob,
  ResponsesRequest,
  ResponseStatus,
} from "@svc/sdk/protocol";
import { editMembers } from "../json/text.ts";
import type { OpaqueTexts } from "../chat/tool_calls.ts";

/** Kinds of parts of an item's text. */
export type PartKind = "output_text" | "refusal" | "reasoning_text" | "summary_text";

/** The end of an answer, by the finish reason of its model. */
export interface ResponseEnding {
  readonly status: Extract<ResponseStatus, "completed" | "incomplete">;
  readonly incomplete_details: ResponseIncompleteDetails | null;
}

/** Returns the end for a finish reason of Chat Completions. */
export function endingOf(finishReason: unknown): ResponseEnding {
  if (finishReason === "length") {
    return { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } };
  }
  if (finishReason === "content_filter") {
    return { status: "incomplete", incomplete_details: { reason: "content_filter" } };
  }
  return { status: "completed", incomplete_details: null };
}

/** Returns the kind of part that shows reasoning: a summary only where the request asks for one. */
export function reasoningKind(
  { reasoning }: Pick<ResponsesRequest, "reasoning">,
): "reasoning_text" | "summary_text" {
  const fields: Readonly<Record<string, unknown>> = { ...reasoning };
  const summary = fields["summary"] ?? fields["generate_summary"];
  return typeof summary === "string" ? "summary_text" : "reasoning_text";
}

/** True when the answer's text has to be JSON. */
export function asksForJson({ text }: Pick<ResponsesRequest, "text">): boolean {
  const format = text?.format?.type;
  return format === "json_schema" || format === "json_object";
}

/** Notes on a part's text. */
export interface TextNotes {
  readonly annotations?: readonly ResponseAnnotation[];
  readonly logprobs?: readonly ResponseLogprob[];
}

/** Returns a part; `literal` is its text as a JSON string. */
export function partText(kind: PartKind, literal: string, notes: TextNotes = {}): string {
  if (kind === "refusal") return `{"type":"refusal","refusal":${literal}}`;
  if (kind !== "output_text") return `{"type":"${kind}","text":${literal}}`;
  const cited = JSON.stringify(notes.annotations ?? []);
  const logprobs = JSON.stringify(notes.logprobs ?? []);
  return `{"type":"output_text","annotations":${cited},"logprobs":${logprobs},"text":${literal}}`;
}

/** Members that every item has, and some that only some have. */
export interface ItemFields {
  readonly id: string;
  readonly status: ResponseItemStatus;
  readonly opaque?: OpaqueTexts | undefined;
}

/** Returns a message with parts. */
export function messageText(fields: ItemFields, parts: readonly string[]): string {
  const { id, status, opaque } = fields;
  const head = JSON.stringify({ type: "message", id, status, role: "assistant" });
  return `${withOpaque(head, opaque).slice(0, -1)},"content":${list(parts)}}`;
}

/** Returns reasoning with parts of one kind. */
export function reasoningText(
  fields: ItemFields,
  kind: PartKind,
  parts: readonly string[],
): string {
  const { id, status } = fields;
  const head = JSON.stringify({ type: "reasoning", id, status, encrypted_content: null });
  const [summary, content] = kind === "summary_text" ? [parts, []] : [[], parts];
  return `${head.slice(0, -1)},"summary":${list(summary)},"content":${list(content)}}`;
}

/** Returns a tool call; `literal` is its input, JSON text as a JSON string. */
export function functionCallText(
  fields: ItemFields,
  call: { readonly callId: string; readonly name: string; readonly literal: string },
): string {
  const { id, status, opaque } = fields;
  const { callId, name, literal } = call;
  const head = JSON.stringify({ type: "function_call", id, status, call_id: callId, name });
  return `${withOpaque(head, opaque).slice(0, -1)},"arguments":${literal}}`;
}

/** Returns a citation of Chat Completions as Responses has it; `undefined` for another kind. */
export function annotationOf(value: unknown): ResponseAnnotation | undefined {
  if (typeof value !== "object" || value === null || !("type" in value)) return undefined;
  const fields: Readonly<Record<string, unknown>> = { ...value };
  if (value.type === "url_citation") {
    const { start_index, end_index, url, title } = inner(fields, "url_citation");
    return {
      type: "url_citation",
      start_index: Number(start_index ?? 0),
      end_index: Number(end_index ?? 0),
      url: String(url),
      title: String(title ?? ""),
    };
  }
  if (value.type !== "file_citation") return undefined;
  const { file_id, filename, index } = inner(fields, "file_citation");
  return {
    type: "file_citation",
    file_id: String(file_id),
    filename: String(filename ?? ""),
    index: Number(index ?? 0),
  };
}

function inner(
  value: Readonly<Record<string, unknown>>,
  key: string,
): Readonly<Record<string, unknown>> {
  const nested = value[key];
  return typeof nested === "object" && nested !== null ? { ...nested } : value;
}

/** Line breaks between an opaque member's tokens would end an event's line; spaces do as well. */
function withOpaque(head: string, opaque: OpaqueTexts | undefined): string {
  if (opaque === undefined) return head;
  const lines = Object.entries(opaque).map(([name, text]) => [name, text.replace(/[\r\n]/g, " ")]);
  return editMembers(head, Object.fromEntries(lines));
}

function list(texts: readonly string[]): string {
  let written = "[";
  for (const [at, text] of texts.entries()) written += at === 0 ? text : `,${text}`;
  return `${written}]`;
}
