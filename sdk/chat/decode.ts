import { isJsonObject } from "@svc/tools/json";

/**
 * Checks of the parts of an answer that all other code relies on. Upstreams vary: a missing member
 * counts as empty, and a member of another shape makes the answer invalid.
 *
 * @module
 */

/**
 * True for an answer whose messages and tool calls can be read. It needs a list of choices, each
 * with a message. Other fields pass through.
 */
export function isCompletion(answer: object): boolean {
  const { choices } = answer as { choices?: unknown };
  return Array.isArray(choices) &&
    choices.every((choice) => isJsonObject(choice) && isMessage(choice["message"]));
}

/** True for a chunk whose deltas can be read. A chunk may carry usage and metadata alone. */
export function isChunk(event: object): boolean {
  const { choices } = event as { choices?: unknown };
  return !Array.isArray(choices) ||
    choices.every((choice) => isJsonObject(choice) && isNothingOr(choice["delta"], isMessage));
}

/**
 * Returns the text of a content: a string, or the joined texts of its parts, as some providers
 * write it.
 */
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
