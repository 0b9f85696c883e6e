/**
 * Chat requests of tests, as the provider packages receive them.
 *
 * @module
 */

import type { UpstreamCall } from "../../ports/upstream.ts";
import { callOptionsOf } from "./call_options.ts";
import type { ChatFormat } from "../providers/descriptor.ts";
import { isTranslated, PROVIDERS } from "../providers/provider_kinds.ts";
import { Notes } from "./notes.ts";

/** A user's message. */
export const USER = { role: "user", content: "Hi" };

/** Kinds whose requests are translated. */
export const KINDS: readonly string[] = PROVIDERS.filter(isTranslated).map(({ kind }) => kind);

/** Returns the chat format of a kind. */
export function formatOf(kind: string): ChatFormat {
  const provider = PROVIDERS.filter(isTranslated).find((one) => one.kind === kind);
  if (provider === undefined) throw new Error(`Requests of kind "${kind}" are not translated`);
  return provider.protocol.chat;
}

/** Translates a request with these fields. */
export function translate(
  kind: string,
  fields: Readonly<Record<string, unknown>>,
  more: Pick<UpstreamCall, "outputLimit" | "isOwnChoice"> = {},
) {
  const notes = new Notes(formatOf(kind));
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

/** A tool call. */
export const CALL = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };

/** A declaration of the function. */
export const FUNCTION = { type: "function", function: { name: "f" } };

/** A conversation with a call of the function and its result. */
export const AFTER_CALLS = {
  messages: [
    USER,
    { role: "assistant", tool_calls: [CALL] },
    { role: "tool", tool_call_id: "a", content: "found" },
  ],
  tools: [FUNCTION],
};
