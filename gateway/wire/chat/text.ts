/**
 * The text in Chat Completions bodies, for counting tokens where an upstream reported none.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { isMediaPart } from "../../domain/requests/features.ts";
import { OPAQUE_MEMBERS } from "./tool_calls.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Receiver of pieces of text. */
export interface TextSink {
  push(piece: string): unknown;
}

/** Members in which upstreams send reasoning; several of them may have the same text. */
const REASONING: readonly string[] = [
  ...["reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks"],
];

/** Members that structure or sign a model's text, or hold tool results and citations. */
const STRUCTURE: ReadonlySet<string> = new Set([
  ...["role", "type", "id", "object", "status", "phase", "format", "detail", "mime_type"],
  ...["media_type", "call_id", "item_id", "tool_call_id", "cache_control", "output_format"],
  ...["size", "quality", "background", "annotations", "logprobs", "output", "outputs", "results"],
  ...["sources", "tools", "signature", "thought_signature", ...OPAQUE_MEMBERS],
]);

/** Members with the input of tool calls. */
const INPUT: ReadonlySet<string> = new Set(["arguments", "input"]);

/** Members with media or ciphers: strings that are no text. */
const MEDIA: ReadonlySet<string> = new Set([
  ...["data", "b64_json", "file_data", "result", "partial_image_b64", "encrypted_content"],
]);

/** Members that may hold media in a data URI; any other text that begins like one is text. */
const MEDIA_ADDRESS = /(?:^|_)(?:url|uri|image|images|audio|video|file)$/;

/**
 * Characters of media that count as one. A token is one and a half characters of Base64, so one
 * token counts for 1 000: an image of a megapixel comes to some 1 500, a second of speech to 5
 * (Opus) to 64 (PCM).
 */
const MEDIA_CHARS = 700;

/** Maximum nesting that is searched. */
const DEPTH_MAX = 32;

/**
 * Adds every string that a model wrote in a message or a stream's delta to `pieces`, whatever its
 * member's name. Media adds a stand-in of its size. Reasoning under several names is added once.
 */
export function collectText(message: Fields, pieces: TextSink): void {
  for (const [name, value] of Object.entries(message)) {
    if (!REASONING.includes(name)) collectStrings(value, pieces, { name });
  }
  for (const piece of longestReasoning(message)) pieces.push(piece);
}

/** Adds every string of a value that is no part of the wire's structure. */
export function collectStrings(
  value: unknown,
  pieces: TextSink,
  { name = "", depth = 0 }: { readonly name?: string; readonly depth?: number } = {},
): void {
  if (value === "" || STRUCTURE.has(name) || depth > DEPTH_MAX) return;
  if (typeof value === "string") {
    const isMedia = MEDIA.has(name) || MEDIA_ADDRESS.test(name) && value.startsWith("data:");
    pieces.push(isMedia ? value.slice(0, Math.ceil(value.length / MEDIA_CHARS)) : value);
  } else if (Array.isArray(value)) {
    for (const element of value) collectStrings(element, pieces, { name, depth: depth + 1 });
  } else if (typeof value === "object" && value !== null) {
    // Some upstreams write arguments as an object, whose member names are the model's.
    if (INPUT.has(name)) return void pieces.push(JSON.stringify(value));
    for (const [key, member] of Object.entries(value)) {
      collectStrings(member, pieces, { name: key, depth: depth + 1 });
    }
  }
}

function longestReasoning(message: Fields): readonly string[] {
  let longest: readonly string[] = [];
  let most = 0;
  for (const name of REASONING) {
    if (message[name] === undefined || message[name] === null) continue;
    const pieces: string[] = [];
    collectStrings(message[name], pieces, { name });
    const chars = pieces.reduce((sum, { length }) => sum + length, 0);
    if (chars > most) [longest, most] = [pieces, chars];
  }
  return longest;
}

/**
 * Returns the members of a message or delta except those of {@linkcode contentOf}, {@linkcode
 * reasoningOf}, its refusal and its function calls.
 */
export function besideText(message: Fields): Fields {
  const { content, refusal: _refusal, tool_calls: calls, ...others } = message;
  const isTold = reasoningOf(message) !== "";
  return {
    ...Object.fromEntries(
      Object.entries(others).filter(([name]) => !(isTold && REASONING.includes(name))),
    ),
    content: Array.isArray(content)
      ? content.filter((part) => typeof part?.text !== "string")
      : undefined,
    tool_calls: Array.isArray(calls)
      ? calls.map((call) => ({ ...call, function: undefined }))
      : undefined,
  };
}

/** Returns the text of a message or delta; some servers send parts. */
export function contentOf(message: Fields): string {
  const { content } = message;
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => typeof part?.text === "string" ? part.text : "").join("");
}

/** Returns the reasoning of a message or delta: an extension with several names. */
export function reasoningOf(message: Fields): string {
  const { reasoning_content, reasoning, thinking, reasoning_details } = message;
  for (const text of [reasoning_content, reasoning, thinking]) {
    if (typeof text === "string" && text !== "") return text;
  }
  if (!Array.isArray(reasoning_details)) return "";
  return reasoning_details.map((detail) => {
    const text = detail?.text ?? detail?.summary;
    return typeof text === "string" ? text : "";
  }).join("");
}

/** Returns all text of a request that its model reads, except media, which is estimated. */
export function requestText(request: Fields): string {
  const { messages, tools, functions, response_format, prediction } = request as
    & Partial<ChatRequest>
    & Fields;
  const pieces: string[] = [];
  for (const { content, ...message } of messages ?? []) {
    if (Array.isArray(content)) { for (const part of content) collectPart(part, pieces); }
    else collectStrings(content, pieces);
    collectText(message, pieces);
  }
  for (const declared of [tools, functions]) {
    if (Array.isArray(declared) && declared.length > 0) pieces.push(JSON.stringify(declared));
  }
  const isJson = response_format !== undefined && response_format?.type !== "text";
  if (isJson) pieces.push(JSON.stringify(response_format));
  collectStrings(prediction, pieces);
  return pieces.join("\n");
}

/** A part of an unknown kind is estimated as text, and so it is counted as text. */
function collectPart(part: Fields, pieces: TextSink): void {
  if (isMediaPart(part)) return;
  const { text } = part;
  pieces.push(typeof text === "string" ? text : JSON.stringify(part));
}
