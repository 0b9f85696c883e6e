/**
 * An answer that is requested whole although its caller streams, and delivered as a stream.
 *
 * @module
 */

import type { JsonBody } from "../../ports/upstream.ts";
import { editMembers } from "../json/text.ts";

/** Returns the request for a complete answer; all other bytes stay. */
export function unstreamed(body: JsonBody): JsonBody {
  if (body.value["stream"] !== true) return body;
  const text = editMembers(body.text, { stream: "false", stream_options: undefined });
  const { stream_options: _options, ...value } = body.value;
  return { text, value: { ...value, stream: false } };
}

/** Returns the JSON texts of the chunks of a complete answer with one choice, without its usage. */
export function chunksOf(completion: Readonly<Record<string, unknown>>): string[] {
  const { choices, usage: _usage, ...head } = completion;
  const { message, finish_reason: finish, ...choice } = Object(
    Array.isArray(choices) ? choices[0] : undefined,
  );
  const { tool_calls: calls, ...delta } = Object(message);
  const indexed = Array.isArray(calls)
    ? { tool_calls: calls.map((call, index) => ({ index, ...Object(call) })) }
    : {};
  const chunk = (fields: Readonly<Record<string, unknown>>) =>
    JSON.stringify({
      ...head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, ...fields }],
    });
  return [
    chunk({ ...choice, delta: { ...delta, ...indexed }, finish_reason: null }),
    chunk({ delta: {}, finish_reason: finish ?? (Array.isArray(calls) ? "tool_calls" : "stop") }),
  ];
}
