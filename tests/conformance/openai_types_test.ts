/**
 * Our wire types held against OpenAI's own: what does not fit does not compile.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { assertType } from "@std/testing/types";
import type {
  AssistantMessage,
  ChatChoice,
  ChatCompletion,
  ChatCompletionChunk,
  ChatMessage,
  ChatRequest,
  ChatTool,
  ChatUsage,
  ToolCall,
} from "@svc/sdk/protocol";
import type OpenAI from "openai";

type Chat = typeof OpenAI.Chat.Completions;
type Theirs = OpenAI.Chat.Completions.ChatCompletion;
type TheirChunk = OpenAI.Chat.Completions.ChatCompletionChunk;
type TheirParams = OpenAI.Chat.Completions.ChatCompletionCreateParams;
type TheirMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam;
type TheirAssistant = OpenAI.Chat.Completions.ChatCompletionAssistantMessageParam;
type TheirToolCall = OpenAI.Chat.Completions.ChatCompletionMessageFunctionToolCall;

/** True when a value of one type can be used as the other. */
type Fits<From, To> = [From] extends [To] ? true : false;

/** An interface as a plain type: only such a one may have members that are not named. */
type Plain<T> = T extends object ? { [Key in keyof T]: Plain<T[Key]> } : T;

/**
 * Log probabilities pass through as they are: ours says nothing of their shape. `metadata` is ours
 * where theirs are the caller's own pairs.
 */
type OpaqueLogprobs<T extends { choices: readonly unknown[] }> =
  & Omit<T, "choices" | "metadata">
  & { choices: (Omit<T["choices"][number], "logprobs"> & { logprobs?: unknown })[] };

/** Custom tool calls pass through as well; ours describes calls of functions. */
type FunctionCallsOnly = Omit<TheirAssistant, "tool_calls"> & { tool_calls?: TheirToolCall[] };

Deno.test("our answers are OpenAI's", () => {
  assertType<Fits<ChatCompletion, OpaqueLogprobs<Theirs>>>(true);
  assertType<Fits<null, ChatChoice["logprobs"]>>(true);
  assertType<Fits<ChatCompletionChunk, OpaqueLogprobs<TheirChunk>>>(true);
  assertType<Fits<ChatUsage, OpenAI.CompletionUsage>>(true);
  assertType<Fits<ToolCall, TheirToolCall>>(true);
  assertType<Fits<AssistantMessage, TheirAssistant>>(true);
});

Deno.test("their requests are ours", () => {
  assertType<Fits<Plain<Exclude<TheirMessage, TheirAssistant>>, ChatMessage>>(true);
  assertType<Fits<Plain<FunctionCallsOnly>, ChatMessage>>(true);
  assertType<Fits<Plain<OpenAI.Chat.Completions.ChatCompletionTool>, ChatTool>>(true);
  assertType<Fits<Plain<Omit<TheirParams, "messages">>, Omit<ChatRequest, "messages">>>(true);
});

Deno.test("an answer of ours continues a conversation of theirs", () => {
  const message: AssistantMessage = { role: "assistant", content: "Hi", refusal: null };
  const request: Parameters<InstanceType<Chat>["create"]>[0] = {
    model: "auto",
    messages: [message],
  };
  assertEquals(request.messages.length, 1);
});
