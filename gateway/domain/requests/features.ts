/**
 * Features of a request that routing depends on, computed once from the parsed body.
 *
 * @module
 */

import type { ChatMessage, ChatRequest, Endpoint } from "@svc/sdk/protocol";
import { difficultyOf } from "../routing/difficulty.ts";
import { hostedToolOf, isLocalTool } from "./hosted_tool_types.ts";
import { atOnce, STEP_CHARS, type Steps } from "../redaction/steps.ts";
import { type Comparable, comparableOf, taskTextOf } from "./task_text.ts";
import { measureSteps, measureText, type TextMeasure } from "./text_measure.ts";

/** Features of a request, computed once, in one pass, from the parsed body. */
export interface RequestFeatures {
  readonly endpoint: Endpoint;
  /** UTF-8 bytes of all text that the model reads: messages, tool declarations, schemas. */
  readonly textBytes: number;
  /** UTF-16 code units of the same text: together with `textBytes` this tells scripts apart. */
  readonly textChars: number;
  /**
   * Number of `textChars` that are digits, punctuation or part of a run too long for a word: they
   * cost more tokens than prose. @default {textChars}
   */
  readonly denseChars?: number | undefined;
  /** Number of `textChars` that stand for recordings and files. @default {0} */
  readonly mediaChars?: number | undefined;
  /** Number of messages and tool declarations: each costs a few tokens of framing. */
  readonly framedItems: number;
  /** Images in the input. */
  readonly images: number;
  /** Tokens that the caller has counted: the input is token ids. @default {0} */
  readonly countedTokens?: number | undefined;
  /**
   * Likely tokens of the longest of several inputs, each of which must fit into the context alone.
   * @default {the input is read as one}
   */
  readonly longestInputTokens?: number | undefined;
  /** The only model that may serve the request. @default {any} */
  readonly onlyModel?: string | undefined;
  /** Feature tags that a model must have: `tools`, `vision`, `json`, `audio`, `files`. */
  readonly needs: readonly string[];
  /** Path of the field that causes a need, by need. @default {unknown} */
  readonly needPaths?: Readonly<Record<string, string>> | undefined;
  readonly hostedTools: readonly string[];
  /**
   * True when the request asks for log probabilities: models whose upstreams report them come
   * first. @default {false}
   */
  readonly logprobs?: boolean | undefined;
  /** Output limit of the caller, in tokens; absent: the model's maximum. */
  readonly requestedOutputTokens?: number | undefined;
  /** Number of choices to generate: `n`, or `best_of` if that is larger. */
  readonly choices: number;
  /** 0 (trivial) to 1 (hard); a documented function of named features. */
  readonly difficulty: number;
  /** Hash of the leading messages: with the key, it identifies a conversation. */
  readonly conversation: string;
  /**
   * Description of the kind of request, from which its task is derived: see `taskTextOf`.
   * @default {the request belongs to no task}
   */
  readonly taskText?: string | undefined;
  /** Form by which two answers compare, for verified answers. @default {they do not} */
  readonly comparable?: Comparable | undefined;
}

/**
 * A second of speech is about 5 000 characters of base64 and at most 32 tokens, as is this much
 * text.
 */
const AUDIO_CHARS_PER_TEXT_CHAR = 32;
/** A page of a document is about 10 000 characters of base64 and at most 3 000 tokens. */
const FILE_CHARS_PER_TEXT_CHAR = 2;

/** Sums over the messages and tools of a request. */
interface Tally extends TextMeasure {
  images: number;
  media: number;
  /** Path of the first part of each kind, by need. */
  readonly paths: Record<string, string>;
  /** Long texts, which are measured in steps. */
  readonly long: string[];
}

/** Messages per step. */
const STEP_MESSAGES = 1_000;

/**
 * Returns the features of a chat request. Linear in its text; everything beyond counting is
 * bounded.
 */
export function chatFeatures(request: ChatRequest): RequestFeatures {
  return atOnce(chatFeatureSteps(request));
}

/**
 * Computes the features in steps, for requests that may be long. `more`: further texts that the
 * model reads.
 */
export function* chatFeatureSteps(
  request: ChatRequest,
  more: readonly string[] = [],
): Steps<RequestFeatures> {
  const counts = { bytes: 0, chars: 0, dense: 0, images: 0, media: 0 };
  const tally: Tally = { ...counts, paths: {}, long: [] };
  for (const [at, message] of request.messages.entries()) {
    if (at > 0 && at % STEP_MESSAGES === 0) yield;
    tallyMessage(message, at, tally);
  }

  const hostedTools: string[] = [];
  let functions = tallyLegacyFunctions(request["functions"], tally);
  for (const tool of request.tools ?? []) {
    tallyText(JSON.stringify(tool), tally);
    if (isLocalTool(tool.type)) functions++;
    else hostedTools.push(hostedToolOf(tool.type) ?? tool.type);
  }

  const format = request.response_format?.type;
  const json = format === "json_schema" || format === "json_object";
  if (json) tallyText(JSON.stringify(request.response_format), tally);
  // A predicted edit counts as input.
  if (isObject(request["prediction"])) tallyText(JSON.stringify(request["prediction"]), tally);
  for (const text of more) tallyText(text, tally);
  for (const text of tally.long) yield* measureSteps(text, tally);
  const modalities = request["modalities"];
  const spoken = Array.isArray(modalities) && modalities.includes("audio");

  const { paths } = tally;
  if (spoken) paths["audio"] = "modalities";
  if (functions > 0) paths["tools"] = (request.tools ?? []).length > 0 ? "tools" : "functions";
  if (json) paths["json"] = "response_format";
  const needs = ["vision", "audio", "files", "tools", "json"].filter((need) => need in paths);

  return {
    endpoint: "chat",
    textBytes: tally.bytes,
    textChars: tally.chars,
    denseChars: tally.dense,
    ...(tally.media === 0 ? {} : { mediaChars: tally.media }),
    framedItems: request.messages.length + functions + hostedTools.length,
    images: tally.images,
    needs,
    needPaths: paths,
    hostedTools,
    ...(wantsLogprobs(request) ? { logprobs: true } : {}),
    requestedOutputTokens: largerOf(request.max_completion_tokens, request.max_tokens),
    choices: largerOf(request.n, request.best_of) ?? 1,
    difficulty: difficultyOf(request.messages, {
      textBytes: tally.bytes,
      tools: functions + hostedTools.length,
      schema: format === "json_schema",
      effort: request["reasoning_effort"],
    }),
    conversation: conversationOf(request.messages),
    taskText: taskTextOf(request),
    comparable: comparableOf(request),
  };
}

function wantsLogprobs(request: ChatRequest): boolean {
  return request["logprobs"] === true || Number(request["top_logprobs"] ?? 0) > 0;
}

/** Returns the larger of two limits, because servers differ in which of them they obey. */
function largerOf(
  one: number | null | undefined,
  other: number | null | undefined,
): number | undefined {
  if (one == null || other == null) return one ?? other ?? undefined;
  return Math.max(one, other);
}

function tallyText(text: string, tally: Tally): void {
  if (text.length > STEP_CHARS) tally.long.push(text);
  else measureText(text, tally);
}

function tallyMessage(message: ChatMessage, at: number, tally: Tally): void {
  const content = message.content;
  if (typeof content === "string") tallyText(content, tally);
  else if (Array.isArray(content)) {
    for (const [index, part] of content.entries()) {
      const need = tallyPart(part, tally);
      if (need !== undefined) tally.paths[need] ??= `messages.${at}.content.${index}`;
    }
  }
  if (message.name != null) tallyText(message.name, tally);
  for (const call of message.tool_calls ?? []) tallyText(JSON.stringify(call), tally);
  for (const name of SAID_BESIDE) {
    const member = message[name];
    if (typeof member === "string") tallyText(member, tally);
    else if (isObject(member)) tallyText(JSON.stringify(member), tally);
  }
}

/** Members of a message that the model reads besides its content and its tool calls. */
const SAID_BESIDE: readonly string[] = [
  ...["function_call", "refusal", "reasoning_content", "reasoning", "reasoning_details"],
  "thinking",
];

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** True for media, whose base64 is not text that the model reads. */
export function isMediaPart({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === "image_url" || type === "input_audio" || type === "file";
}

/** Counts media by kind. Returns the need that the part causes, if any. */
function tallyPart(
  part: Readonly<Record<string, unknown>>,
  tally: Tally,
): "vision" | "audio" | "files" | undefined {
  if (part["type"] === "image_url") {
    tally.images++;
    return "vision";
  }
  if (part["type"] === "input_audio") {
    tallyMedia(part, tally, AUDIO_CHARS_PER_TEXT_CHAR);
    return "audio";
  }
  if (part["type"] === "file") {
    tallyMedia(part, tally, FILE_CHARS_PER_TEXT_CHAR);
    return "files";
  }
  tallyText(typeof part["text"] === "string" ? part["text"] : JSON.stringify(part), tally);
  return undefined;
}

function tallyMedia(
  part: Readonly<Record<string, unknown>>,
  tally: Tally,
  charsPerTextChar: number,
): void {
  const chars = Math.ceil(JSON.stringify(part).length / charsPerTextChar);
  tally.bytes += chars;
  tally.chars += chars;
  tally.media += chars;
}

/** Counts the `functions` of older clients, which are tools under another name. */
function tallyLegacyFunctions(functions: unknown, tally: Tally): number {
  if (!Array.isArray(functions) || functions.length === 0) return 0;
  tallyText(JSON.stringify(functions), tally);
  return functions.length;
}

/** Leading and trailing characters of each text that are hashed. */
const HASHED_CHARS = 1_024;
/** Leading parts of each message that are hashed. */
const HASHED_PARTS = 16;

/**
 * Returns a hash that identifies a conversation: of everything up to and including the first user
 * message, which every later turn repeats. 64 bits as 16 hexadecimal digits, not cryptographic: it
 * serves as a hint beside the key, and a collision costs nothing but a hint.
 */
export function conversationOf(messages: readonly ChatMessage[]): string {
  const state = { high: 0x9e3779b9, low: 0x85ebca6b };
  for (const message of messages) {
    mix(message.role, state);
    if (typeof message.content === "string") mix(message.content, state);
    else if (Array.isArray(message.content)) {
      mixNumber(message.content.length, state);
      for (const part of message.content.slice(0, HASHED_PARTS)) mixPart(part, state);
    }
    if (message.role === "user") break;
  }
  return finish(state.high) + finish(state.low);
}

interface Hash {
  high: number;
  low: number;
}

function mixPart(part: Readonly<Record<string, unknown>>, state: Hash): void {
  for (const value of Object.values(part)) {
    if (typeof value === "string") mix(value, state);
    else if (typeof value === "object" && value !== null) {
      for (const inner of Object.values(value)) if (typeof inner === "string") mix(inner, state);
    }
  }
}

function mix(text: string, state: Hash): void {
  mixNumber(text.length, state);
  const head = Math.min(text.length, HASHED_CHARS);
  for (let i = 0; i < head; i++) mixNumber(text.charCodeAt(i), state);
  for (let i = Math.max(head, text.length - HASHED_CHARS); i < text.length; i++) {
    mixNumber(text.charCodeAt(i), state);
  }
}

// Two lanes of multiply and xor with different odd constants, each a bijection of 32 bits.
function mixNumber(value: number, state: Hash): void {
  state.high = Math.imul(state.high ^ value, 2654435761);
  state.high ^= state.high >>> 15;
  state.low = Math.imul(state.low ^ value, 1597334677);
  state.low ^= state.low >>> 13;
}

function finish(lane: number): string {
  const mixed = Math.imul(lane ^ (lane >>> 16), 2246822507);
  return ((mixed ^ (mixed >>> 13)) >>> 0).toString(16).padStart(8, "0");
}
