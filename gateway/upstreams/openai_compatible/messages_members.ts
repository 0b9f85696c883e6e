/**
 * Members of a chat request that mean something to Anthropic's Messages alone. The client library
 * sends them for upstreams that take them; on OpenAI's wire a request is refused for them.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import type { UpstreamKind } from "../../domain/catalog/catalog.ts";
import { editMembers, elementTexts, memberText } from "../../wire/json/text.ts";

/**
 * A request without them: without `is_error` of a tool's result, whose text says so too, and without
 * what `extra_content` has for Anthropic. `cache_control` goes to compatible servers, some of which
 * take it, and not to OpenAI. Every other byte stays.
 */
export function withoutMessagesMembers(
  text: string,
  { value, kind }: {
    readonly value: Readonly<Record<string, unknown>>;
    readonly kind: UpstreamKind;
  },
): string {
  const names = ["is_error", ...(kind === "openai" ? ["cache_control"] : [])];
  const isMarked = names.some((name) => text.includes(`"${name}"`));
  const { extra_content: extra } = value;
  const edits: Record<string, string | undefined> = {};
  if (isMarked) {
    Object.assign(edits, listEdit(text, "messages", (one) => editedMessage(one, names)));
    Object.assign(edits, listEdit(text, "tools", (one) => without(one, ["cache_control"], names)));
    if (names.includes("cache_control")) edits["cache_control"] = undefined;
  }
  if (isJsonObject(extra) && "anthropic" in extra) {
    const { anthropic: _, ...others } = extra;
    edits["extra_content"] = Object.keys(others).length > 0 ? JSON.stringify(others) : undefined;
  }
  return Object.keys(edits).length === 0 ? text : editMembers(text, edits);
}

/** The edit of a list of objects; none where it has no elements. */
function listEdit(
  text: string,
  name: string,
  edit: (element: string) => string,
): Record<string, string> {
  const all = elementTexts(memberText(text, name));
  if (all.length === 0) return {};
  return { [name]: `[${all.map((one) => one.startsWith("{") ? edit(one) : one).join(",")}]` };
}

function editedMessage(message: string, names: readonly string[]): string {
  const own = memberText(message, "role") === '"tool"' ? ["is_error"] : [];
  const edited = without(message, [...own, "cache_control"], names);
  if (!names.includes("cache_control")) return edited;
  return editMembers(
    edited,
    listEdit(edited, "content", (part) => without(part, ["cache_control"], names)),
  );
}

/** An object without those of its members that are left out. */
function without(text: string, members: readonly string[], names: readonly string[]): string {
  const edits = members.filter((name) => names.includes(name)).map((name) => [name, undefined]);
  return editMembers(text, Object.fromEntries(edits));
}
