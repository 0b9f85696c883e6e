/**
 * Messages for the tests of prompts.
 *
 * @module
 */

import { Notes } from "./notes.ts";
import { promptOf } from "./prompt.ts";
import { formatOf } from "./translated_fixture.ts";

/** Translates messages for a kind. */
export function prompt(kind: string, ...messages: readonly unknown[]) {
  const notes = new Notes(formatOf(kind));
  return { prompt: promptOf(messages, notes), notes };
}

/** A user's message. */
export const USER = { role: "user", content: "Hi" };

/** Returns a tool call with an id. */
export const call = (id: string, more = {}) => ({
  id,
  type: "function",
  function: { name: `tool_${id}`, arguments: '{"a":1}' },
  ...more,
});

/** Returns the result of a tool call. */
export const result = (id: string, content: unknown, more = {}) => ({
  role: "tool",
  tool_call_id: id,
  content,
  ...more,
});

/** A content part with an image. */
export const PICTURE = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
