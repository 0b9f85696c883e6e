/**
 * What tests of this room share: chat requests as the provider packages are handed them.
 *
 * @module
 */

import type { NativeKind } from "../../domain/catalog/catalog.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { callOptionsOf } from "./call_options.ts";
import { CANNOT_CARRY } from "./cannot_carry.ts";
import { Notes } from "./notes.ts";

/** A message. */
export const USER = { role: "user", content: "Hi" };

/** All kinds. */
export const KINDS = [
  "anthropic",
  "google",
  "google-vertex",
  "amazon-bedrock",
  "azure",
  "mistral",
  "cohere",
]
  .filter((kind): kind is NativeKind => kind in CANNOT_CARRY);

/** What becomes of a request with these fields. */
export function translate(
  kind: NativeKind,
  fields: Readonly<Record<string, unknown>>,
  more: Pick<UpstreamCall, "outputLimit" | "isOwnChoice"> = {},
) {
  const notes = new Notes(kind);
  const value = { model: "auto", messages: [USER], ...fields };
  const options = callOptionsOf({
    endpoint: "chat",
    model: "m",
    body: { text: JSON.stringify(value), value },
    stream: false,
    requestId: "req_1",
    signal: new AbortController().signal,
    ...more,
  }, notes);
  return { options, refusal: notes.refusal, warnings: notes.warnings, images: notes.images };
}

/** A call. */
export const CALL = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };

/** A function that is declared. */
export const FUNCTION = { type: "function", function: { name: "f" } };

/** A conversation in which it was called. */
export const AFTER_CALLS = {
  messages: [
    USER,
    { role: "assistant", tool_calls: [CALL] },
    { role: "tool", tool_call_id: "a", content: "found" },
  ],
  tools: [FUNCTION],
};
