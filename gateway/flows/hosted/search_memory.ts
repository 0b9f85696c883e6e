/**
 * What searches found that no text of an answer stands for yet: the model called functions of the
 * caller's beside them or after them, and has to read it when the caller continues. Chat Completions
 * has no place for it in its messages, and responses that are not kept have none either, so it is
 * remembered for a while, as signatures are.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import type { JsonBody } from "../../ports/upstream.ts";
import { recordOf } from "../../wire/json/parse.ts";
import { editMembers, elementTexts, memberText } from "../../wire/json/text.ts";
import { itemType } from "../../wire/responses/items.ts";
import { callDigest } from "../plan/signature_memory.ts";

/** What the searches of an answer found, and what the answer ended with. */
export interface SearchesBeforeCalls {
  /** What a model is to read of each search, by the id of its item. */
  readonly found: ReadonlyMap<string, string>;
  /** JSON texts of the calls that the caller was handed. */
  readonly calls: readonly string[];
}

/** Most characters kept; the oldest go first. */
const CAPACITY_CHARS = 16 * 1024 * 1024;
/** What an entry costs besides its text. */
const ENTRY_OVERHEAD_CHARS = 200;

/** Findings by API key and item, and by API key and tool call: tenants never meet. */
export class SearchMemory {
  readonly #entries = new Map<string, string>();
  #chars = 0;

  /** Keeps what an answer found, for the key that it was made for. */
  remember(keyId: string, { found, calls }: SearchesBeforeCalls): void {
    if (found.size === 0) return;
    for (const [itemId, text] of found) this.#set(itemKey(keyId, itemId), text);
    const all = [...found.values()].join("\n\n");
    for (const call of calls) this.#set(callDigest(keyId, JSON.parse(call)) ?? "", all);
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= CAPACITY_CHARS) return;
      this.#forget(oldest);
    }
  }

  /** What is known of the searches among these items, by the items' ids. */
  ofItems(keyId: string, items: readonly JsonBody[]): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    if (this.#entries.size === 0) return found;
    for (const item of items) {
      const { id } = item.value;
      if (typeof id !== "string" || itemType(item) === "message") continue;
      const text = this.#entries.get(itemKey(keyId, id));
      if (text !== undefined) found.set(id, text);
    }
    return found;
  }

  /**
   * Puts what was found before the assistant's calls that followed it, as the user's message: it is
   * valid whatever tools the request declares, and parts no call from its result. Else the same body.
   */
  restore(keyId: string, body: JsonBody): JsonBody {
    if (this.#entries.size === 0) return body;
    const { messages } = body.value as unknown as ChatRequest;
    const before = messages.map(({ tool_calls: calls }) =>
      Array.isArray(calls) ? this.#ofCalls(keyId, calls) : undefined
    );
    if (before.every((text) => text === undefined)) return body;
    const texts = elementTexts(memberText(body.text, "messages")).flatMap((message, at) => {
      const content = before[at];
      return content === undefined
        ? [message]
        : [JSON.stringify({ role: "user", content }), message];
    });
    const text = editMembers(body.text, { messages: `[${texts.join(",")}]` });
    return { text, value: recordOf(text) };
  }

  #ofCalls(keyId: string, calls: readonly unknown[]): string | undefined {
    for (const call of calls) {
      const digest = callDigest(keyId, call);
      const text = digest === undefined ? undefined : this.#entries.get(digest);
      if (text !== undefined) return text;
    }
    return undefined;
  }

  #set(key: string, text: string): void {
    this.#forget(key);
    this.#entries.set(key, text);
    this.#chars += text.length + ENTRY_OVERHEAD_CHARS;
  }

  #forget(key: string): void {
    const text = this.#entries.get(key);
    if (text === undefined) return;
    this.#chars -= text.length + ENTRY_OVERHEAD_CHARS;
    this.#entries.delete(key);
  }
}

function itemKey(keyId: string, itemId: string): string {
  return JSON.stringify([keyId, itemId]);
}
