/**
 * Recognises the most common chat requests without the schema.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { MOST_MESSAGES } from "./chat.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are left to the schema: a body that has one is not plain. */
const JUDGED = [
  ...["tools", "tool_choice", "parallel_tool_calls", "response_format", "stop", "n", "best_of"],
];
const PLAIN_ROLES: readonly unknown[] = ["system", "developer", "user", "assistant"];

/**
 * Returns true for a plain body: messages that are text, no tools, and numbers within their limits.
 * The schema accepts every such body, and checking it copies every object; a body that is not plain
 * may be valid, too.
 */
export function isPlainChat(body: Fields): boolean {
  const { model, messages, stream, stream_options: options } = body;
  if (model !== "auto" || !Array.isArray(messages)) return false;
  if (messages.length < 1 || messages.length > MOST_MESSAGES) return false;
  for (const message of messages) if (!isPlainMessage(message)) return false;
  for (const field of JUDGED) if (body[field] !== undefined) return false;
  return isFlag(stream) &&
    (options === undefined || isJsonObject(options) && isFlag(options["include_usage"])) &&
    isLimit(body["max_completion_tokens"]) && isLimit(body["max_tokens"]) &&
    isWithin(body["temperature"], 2) && isWithin(body["top_p"], 1);
}

function isPlainMessage(message: unknown): boolean {
  return isJsonObject(message) && typeof message["content"] === "string" &&
    PLAIN_ROLES.includes(message["role"]) &&
    message["tool_calls"] === undefined && message["tool_call_id"] === undefined &&
    (message["name"] === undefined || typeof message["name"] === "string");
}

function isFlag(value: unknown): boolean {
  return value === undefined || typeof value === "boolean";
}

function isLimit(value: unknown): boolean {
  return value === undefined || Number.isSafeInteger(value) && Number(value) >= 1;
}

function isWithin(value: unknown, most: number): boolean {
  return value === undefined || typeof value === "number" && value >= 0 && value <= most;
}
