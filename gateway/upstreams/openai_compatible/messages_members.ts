/**
 * Members of a chat request that only Anthropic's Messages know. The client library sends them for
 * upstreams that take them; OpenAI refuses requests with them.
 *
 * @module
 */

import { isJsonObject } from "@svc/sdk/protocol";
import { editMembers, elementTexts, memberText } from "../../wire/json/text.ts";

/**
 * Removes `is_error` of tool results, whose text says so too, and Anthropic's part of `extra_content`.
 * Removes `cache_control` where the server refuses it; some compatible servers take it. Every other
 * byte stays.
 */
export function withoutMessagesMembers(
  text: string,
  { value, refusesCacheControl = false }: {
    readonly value: Readonly<Record<string, unknown>>;
    readonly refusesCacheControl?: boolean | undefined;
  },
): string {
  const names = ["is_error", ...(refusesCacheControl ? ["cache_control"] : [])];
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

/** Returns the edit of a list of objects; no edit where the list is empty. */
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

/** Returns the text of an object without the members that are in `names`. */
function without(text: string, members: readonly string[], names: readonly string[]): string {
  const edits = members.filter((name) => names.includes(name)).map((name) => [name, undefined]);
  return editMembers(text, Object.fromEntries(edits));
}
