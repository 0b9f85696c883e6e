import { isJsonObject } from "@svc/tools/json";

/**
 * The parts of an answer that all else relies on. There are many upstreams, and some are odd: a member
 * that is merely missing counts as empty, and what has another shape is no answer.
 *
 * @module
 */

/**
 * True for an answer whose messages and tool calls can be read. Without a list of choices, or with a
 * choice that has no message, it is none. Other fields are passed on as they are.
 */
export function isCompletion(answer: object): boolean {
  const { choices } = answer as { choices?: unknown };
  return Array.isArray(choices) &&
    choices.every((choice) => isJsonObject(choice) && isMessage(choice["message"]));
}

/** True for a piece of one whose deltas can be read. Some carry usage and metadata alone. */
export function isChunk(event: object): boolean {
  const { choices } = event as { choices?: unknown };
  return !Array.isArray(choices) ||
    choices.every((choice) => isJsonObject(choice) && isNothingOr(choice["delta"], isMessage));
}

/** What a message says: a text, or the texts of its parts, as some providers write it. */
export function textIn(content: unknown): string {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? content.map(textOfPart).join("") : "";
}

function textOfPart(part: unknown): string {
  const { text } = Object(part) as { text?: unknown };
  return typeof text === "string" ? text : "";
}

function isMessage(message: unknown): boolean {
  return isJsonObject(message) &&
    isNothingOr(message["tool_calls"], (calls) => Array.isArray(calls) && calls.every(isCall)) &&
    isNothingOr(message["function_call"], isNamed);
}

function isCall(call: unknown): boolean {
  return isJsonObject(call) && isNothingOr(call["function"], isNamed);
}

function isNamed(named: unknown): boolean {
  return isJsonObject(named) && isNothingOr(named["name"], isText);
}

function isNothingOr(value: unknown, isSound: (value: unknown) => boolean): boolean {
  return value === undefined || value === null || isSound(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
