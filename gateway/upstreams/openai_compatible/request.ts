import type { UpstreamKind } from "../../domain/catalog.ts";
import { invariant } from "../../domain/invariant.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { editMembers, members } from "../../wire/json_text.ts";
import { withoutMessagesMembers } from "./messages_members.ts";
import { wantsSignedCalls, withForeignCalls } from "./gemini_calls.ts";

/**
 * The caller's text with the upstream's model name, the output limit where the hold pays for less
 * than was asked, and usage asked for on streams. A compatible server is told a
 * `max_completion_tokens` as `max_tokens` too: where it knew the older name only it would write more
 * than the hold pays for. A Gemini is told which calls of the history it has not signed. Members that
 * only Messages know are left out. Every other byte is the caller's.
 */
export function chatRequestText(call: UpstreamCall, kind: UpstreamKind): string {
  const edits: Record<string, string> = { model: JSON.stringify(call.model) };
  if (call.outputLimit !== undefined) {
    for (const field of limitFields(call.body.value, kind)) edits[field] = `${call.outputLimit}`;
  } else if (kind === "openai-compatible") {
    const { max_completion_tokens: newer, max_tokens: older } = call.body.value;
    if (newer != null && older == null) edits["max_tokens"] = JSON.stringify(newer);
  }
  if (call.stream) {
    const options = streamOptions(call.body.text, call.body.value["stream_options"]);
    if (options !== undefined) edits["stream_options"] = options;
  }
  const isForeign = kind === "openai-compatible" && wantsSignedCalls(call.model);
  const text = isForeign ? withForeignCalls(call.body) : call.body.text;
  return editMembers(withoutMessagesMembers(text, { value: call.body.value, kind }), edits);
}

/** The output limits that the caller set, and the one that servers of this kind know. */
function limitFields(value: Readonly<Record<string, unknown>>, kind: UpstreamKind): string[] {
  const used = ["max_completion_tokens", "max_tokens"].filter((field) => value[field] != null);
  // OpenAI's newer models refuse `max_tokens`; many compatible servers know nothing else.
  if (kind === "openai") return used.length > 0 ? used : ["max_completion_tokens"];
  return used.includes("max_tokens") ? used : [...used, "max_tokens"];
}

/** New text of `stream_options`; `undefined` where it asks for usage already. */
function streamOptions(text: string, value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return '{"include_usage":true}';
  }
  if ("include_usage" in value && value.include_usage === true) return undefined;
  // Of duplicates the last one counts, as it did in the parse.
  const member = members(text).findLast(({ key }) => key === "stream_options");
  invariant(member !== undefined, "Cannot find stream_options in the text they were parsed from");
  const options = text.slice(member.valueStart, member.valueEnd);
  return editMembers(options, { include_usage: "true" });
}
