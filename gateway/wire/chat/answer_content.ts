import type { AnswerCall, AnswerContent } from "../../domain/learning/answers.ts";
import { contentOf } from "./text.ts";

/** Reasons for the end of an answer that is complete. Some upstreams give none. */
const COMPLETE: readonly unknown[] = ["stop", "tool_calls", "function_call", undefined, null];

/**
 * Returns the content of a chat completion for comparison; `undefined` if it is no complete answer:
 * cut off, filtered, refused, broken, or one of several choices.
 */
export function answerContent(completion: Readonly<Record<string, unknown>>):
  | AnswerContent
  | undefined {
  const { choices } = completion;
  if (!Array.isArray(choices) || choices.length !== 1) return undefined;
  const { message, finish_reason: finishReason } = Object(choices[0]);
  if (typeof message !== "object" || message === null) return undefined;
  if (!COMPLETE.includes(finishReason) || isRefusal(message.refusal)) return undefined;
  const calls: AnswerCall[] = [];
  for (const called of Array.isArray(message.tool_calls) ? message.tool_calls : []) {
    const call = callOf(called);
    if (call === undefined) return undefined;
    calls.push(call);
  }
  return { text: contentOf(message), calls };
}

function isRefusal(refusal: unknown): boolean {
  return typeof refusal === "string" && refusal !== "";
}

function callOf(called: unknown): AnswerCall | undefined {
  const { name, arguments: written } = Object(Object(called).function);
  if (typeof name !== "string") return undefined;
  // Some upstreams write arguments as an object.
  const text = typeof written === "object" ? JSON.stringify(written ?? {}) : written ?? "";
  return typeof text === "string" ? { name, arguments: text } : undefined;
}
