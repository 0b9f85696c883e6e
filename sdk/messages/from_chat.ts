import { textIn } from "../chat/decode.ts";
import type { ChatTurn } from "../chat/shapes.ts";
import type {
  AssistantMessage,
  ChatChoice,
  ChatDelta,
  ContentBlock,
  Message,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolCall,
} from "../protocol/mod.ts";
import type { MessageCreateRequest, MessageTurn } from "./shapes.ts";
import { toolUseBlock } from "./tool_calls.ts";
import { namesBack } from "./tool_names.ts";
import { messagesUsage } from "./usage.ts";

/** Context for reading an answer. */
export interface AnswerOptions {
  /** The request of the answer. */
  readonly request: MessageCreateRequest;
  /** Thinking and text, when a stream has already merged them. */
  readonly spoken?: readonly Spoken[] | undefined;
}

/** Thinking or text: a whole block, or a piece of one. */
export interface Spoken {
  readonly type: "thinking" | "text";
  readonly text: string;
}

/** The end of an answer. */
type Stop = Pick<Message, "stop_reason" | "stop_sequence" | "stop_details">;

/**
 * Converts a chat answer to a message: thinking, then text, then tool calls. Unknown fields are
 * kept, those of the answer beside those of its message.
 */
export function messageOf(turn: ChatTurn, { request, spoken }: AnswerOptions): MessageTurn {
  const { id, object: _object, created: _created, model, choices, usage, ...rest } = turn;
  const [choice] = choices;
  return {
    ...rest,
    ...moreOf(choice?.message),
    id,
    type: "message",
    role: "assistant",
    model,
    content: choice === undefined ? [] : contentOf(choice.message, { request, spoken }),
    ...stopOf(choice, request),
    container: null,
    diagnostics: null,
    usage: messagesUsage(usage, turn.metadata),
  };
}

/** Returns the thinking and the text of a message, or of a piece of one; thinking first. */
export function spokenIn(message: AssistantMessage | ChatDelta): Spoken[] {
  const spoken: Spoken[] = [
    { type: "thinking", text: reasoningOf(message) },
    { type: "text", text: textOf(message) },
  ];
  return spoken.filter(({ text }) => text !== "");
}

/** Converts thinking or text to a block. */
export function spokenBlock({ type, text }: Spoken): ThinkingBlock | TextBlock {
  return type === "text"
    ? { type, text, citations: null }
    : { type, thinking: text, signature: "" };
}

/** Reads the reasoning, an extension of Chat with two names. */
function reasoningOf({ reasoning_content, reasoning }: AssistantMessage | ChatDelta): string {
  const text = reasoning_content ?? reasoning;
  return typeof text === "string" ? text : "";
}

/** Returns the text; a refusal counts as text. */
function textOf({ content, refusal }: AssistantMessage | ChatDelta): string {
  return `${textIn(content)}${refusal ?? ""}`;
}

function contentOf(
  message: AssistantMessage,
  { request, spoken = spokenIn(message) }: AnswerOptions,
): ContentBlock[] {
  const calls = callsOf(message);
  const nameOf = namesBack(request.tools);
  return [
    ...signed(spoken.map(spokenBlock), calls[0]),
    ...calls.flatMap((call) => [...redactedBefore(call), toolUseBlock(call, nameOf)]),
  ];
}

/** Returns the calls; some providers write `null` for none. */
function callsOf({ tool_calls }: AssistantMessage): readonly ToolCall[] {
  return Array.isArray(tool_calls) ? tool_calls : [];
}

/**
 * Adds the signature of the tool call that directly follows the thinking. With text in between, the
 * block has none: a stream has closed the block by then, and both forms must agree.
 */
function signed(
  spoken: readonly (ThinkingBlock | TextBlock)[],
  call: ToolCall | undefined,
): readonly ContentBlock[] {
  const last = spoken.at(-1);
  if (last?.type !== "thinking" || call === undefined) return spoken;
  const [only, ...others] = thoughtsOn(call).filter(({ type }) => type === "thinking");
  const isIts = others.length === 0 && only?.["thinking"] === last.thinking;
  const signature = isIts && typeof only?.["signature"] === "string" ? only["signature"] : "";
  return [...spoken.slice(0, -1), { ...last, signature }];
}

/** Returns the encrypted thinking that the service sends with the call that follows it. */
function redactedBefore(call: ToolCall): ContentBlock[] {
  return thoughtsOn(call).flatMap(({ type, data }) =>
    type === "redacted_thinking" && typeof data === "string" ? [{ type, data }] : []
  );
}

/** Returns the blocks of Claude's thinking that a call carries. */
function thoughtsOn({ extra_content }: ToolCall): readonly Readonly<Record<string, unknown>>[] {
  const thinking: unknown = Object(extra_content?.["anthropic"]).thinking;
  return Array.isArray(thinking) ? thinking.map((one) => Object(one)) : [];
}

/** Returns the fields of a chat message that a message has no field for. */
function moreOf(message: AssistantMessage | undefined): Readonly<Record<string, unknown>> {
  const { role: _, content: _c, refusal: _f, tool_calls: _t, ...rest } = message ?? {};
  const { reasoning_content: _r, reasoning: _g, ...more }: Record<string, unknown> = rest;
  return Object.fromEntries(Object.entries(more).filter(([, value]) => value !== null));
}

function stopOf(choice: ChatChoice | undefined, request: MessageCreateRequest): Stop {
  if (choice === undefined) return { stop_reason: null, stop_sequence: null, stop_details: null };
  const { message, finish_reason: finish } = choice;
  const { refusal } = message;
  if (finish === "length") return stopped("max_tokens");
  if (finish === "content_filter") return refused(refusal);
  // Some providers report "stop" beside tool calls.
  if (callsOf(message).length > 0) return stopped("tool_use");
  if (refusal) return refused(refusal);
  const sequence = stopSequenceOf(choice, request);
  return sequence === undefined ? stopped("end_turn") : stopped("stop_sequence", sequence);
}

function stopped(stop_reason: StopReason, stop_sequence: string | null = null): Stop {
  return { stop_reason, stop_sequence, stop_details: null };
}

function refused(explanation: string | null | undefined): Stop {
  return {
    ...stopped("refusal"),
    stop_details: { type: "refusal", category: null, explanation: explanation || null },
  };
}

/**
 * Returns the stop sequence that ended the answer, when the server reports it: an extension with
 * two names.
 */
function stopSequenceOf(
  { stop_reason, matched_stop }: ChatChoice,
  { stop_sequences }: MessageCreateRequest,
): string | undefined {
  const sequences = Array.isArray(stop_sequences) ? stop_sequences : [];
  return sequences.find((sequence) => sequence === stop_reason || sequence === matched_stop);
}
