/**
 * What tests of prompts share.
 *
 * @module
 */

import type { NativeKind } from "../../domain/catalog/catalog.ts";
import { Notes } from "./notes.ts";
import { promptOf } from "./prompt.ts";

/** What a kind is asked with these messages. */
export function prompt(kind: NativeKind, ...messages: readonly unknown[]) {
  const notes = new Notes(kind);
  return { prompt: promptOf(messages, notes), notes };
}

/** The user says hello. */
export const USER = { role: "user", content: "Hi" };

/** A call with an id. */
export const call = (id: string, more = {}) => ({
  id,
  type: "function",
  function: { name: `tool_${id}`, arguments: '{"a":1}' },
  ...more,
});

/** What the tool of a call gave. */
export const result = (id: string, content: unknown, more = {}) => ({
  role: "tool",
  tool_call_id: id,
  content,
  ...more,
});

/** A part that is a picture. */
export const PICTURE = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
