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

/** What an answer is read with. */
export interface AnswerOptions {
  /** The request that it answers. */
  readonly request: MessageCreateRequest;
  /** Thinking and text, where they have been put together already, piece by piece. */
  readonly spoken?: readonly Spoken[] | undefined;
}

/** Thinking or text: a whole block of it, or a piece. */
export interface Spoken {
  readonly type: "thinking" | "text";
  readonly text: string;
}

/** How an answer ended. */
type Stop = Pick<Message, "stop_reason" | "stop_sequence" | "stop_details">;

/**
 * A chat answer as a message: thinking, then text, then tool calls. Fields that are not known here
 * stay, those of the answer beside those of its message.
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

/** What a message says, or a piece of one: thinking first. */
export function spokenIn(message: AssistantMessage | ChatDelta): Spoken[] {
  const spoken: Spoken[] = [
    { type: "thinking", text: reasoningOf(message) },
    { type: "text", text: textOf(message) },
  ];
  return spoken.filter(({ text }) => text !== "");
}

/** It as a block. */
export function spokenBlock({ type, text }: Spoken): ThinkingBlock | TextBlock {
  return type === "text"
    ? { type, text, citations: null }
    : { type, thinking: text, signature: "" };
}

/** An extension of Chat's that goes by two names. */
function reasoningOf({ reasoning_content, reasoning }: AssistantMessage | ChatDelta): string {
  const text = reasoning_content ?? reasoning;
  return typeof text === "string" ? text : "";
}

/** What a model says to refuse is text too. */
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

/** Some providers write `null` where there are none. */
function callsOf({ tool_calls }: AssistantMessage): readonly ToolCall[] {
  return Array.isArray(tool_calls) ? tool_calls : [];
}

/**
 * Thinking that a tool call follows has the signature that the call carries. Where text stands in
 * between, the block has none: a stream has closed it by then, and streamed or not is to be one.
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

/** Thoughts that nobody may read, as the service hands them over with the call that follows. */
function redactedBefore(call: ToolCall): ContentBlock[] {
  return thoughtsOn(call).flatMap(({ type, data }) =>
    type === "redacted_thinking" && typeof data === "string" ? [{ type, data }] : []
  );
}

/** The blocks of Claude's thinking that a call carries. */
function thoughtsOn({ extra_content }: ToolCall): readonly Readonly<Record<string, unknown>>[] {
  const thinking: unknown = Object(extra_content?.["anthropic"]).thinking;
  return Array.isArray(thinking) ? thinking.map((one) => Object(one)) : [];
}

/** Fields of a chat message that a message has no place of its own for. */
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
  // Some providers say "stop" beside tool calls.
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

/** The sequence that ended the answer, where its server says so: an extension by two names. */
function stopSequenceOf(
  { stop_reason, matched_stop }: ChatChoice,
  { stop_sequences }: MessageCreateRequest,
): string | undefined {
  const sequences = Array.isArray(stop_sequences) ? stop_sequences : [];
  return sequences.find((sequence) => sequence === stop_reason || sequence === matched_stop);
}
