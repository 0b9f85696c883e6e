/**
 * Remembers search results that no text of an answer cites yet: the model called functions of the
 * caller beside or after the searches, and must read the results when the caller continues. Neither
 * the messages of Chat Completions nor responses that are not stored can carry them, so they are
 * stored here for a limited time, like signatures.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { type CallerMemory, MEMORY_CAPACITY } from "../../ports/caller_memory.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { recordOf } from "../../wire/json/parse.ts";
import { editMembers, elementTexts, memberText } from "../../wire/json/text.ts";
import { itemType } from "../../wire/responses/items.ts";
import { callDigest } from "../plan/signature_memory.ts";

/** The results of the searches of an answer, and the function calls at its end. */
export interface SearchesBeforeCalls {
  /** Text of each search for the model, by the id of its item. */
  readonly findings: ReadonlyMap<string, string>;
  /** JSON texts of the calls that the caller received. */
  readonly calls: readonly string[];
}

/** Size of an entry beside its text, in characters. */
const ENTRY_OVERHEAD_CHARS = 200;

/** Results by API key and item, and by API key and tool call: tenants share no entries. */
export class SearchMemory {
  readonly #entries = new Map<string, string>();
  readonly #shared: Pick<CallerMemory, "note"> | undefined;
  #chars = 0;

  /** `shared`: where other instances read them. @default {nowhere} */
  constructor(shared?: Pick<CallerMemory, "note">) {
    this.#shared = shared;
  }

  /** Stores the results of an answer for the key that it was made for. */
  remember(keyId: string, { findings, calls }: SearchesBeforeCalls): void {
    if (findings.size === 0) return;
    for (const [itemId, text] of findings) this.#note(itemKey(keyId, itemId), text);
    const all = [...findings.values()].join("\n\n");
    for (const call of calls) this.#note(callDigest(keyId, JSON.parse(call)) ?? "", all);
  }

  /** True if results are stored here under the key of an item or the digest of a call. */
  has(id: string): boolean {
    return this.#entries.has(id);
  }

  /** Stores results that another instance has noted. */
  learn(id: string, text: string): void {
    this.#set(id, text);
  }

  /** Returns the stored results of the searches among these items, by item id. */
  ofItems(keyId: string, items: readonly JsonBody[]): ReadonlyMap<string, string> {
    const findings = new Map<string, string>();
    if (this.#entries.size === 0) return findings;
    for (const item of items) {
      const { id } = item.value;
      if (typeof id !== "string" || itemType(item) === "message") continue;
      const text = this.#entries.get(itemKey(keyId, id));
      if (text !== undefined) findings.set(id, text);
    }
    return findings;
  }

  /**
   * Inserts stored results before the assistant's calls that followed them, as a message of the
   * user: that is valid with any tools and separates no call from its result. Returns the same body
   * if there are none.
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

  #note(key: string, text: string): void {
    this.#set(key, text);
    const entry = { text, size: text.length + ENTRY_OVERHEAD_CHARS };
    this.#shared?.note({ kind: "search", id: key }, entry);
  }

  #set(key: string, text: string): void {
    this.#forget(key);
    this.#entries.set(key, text);
    this.#chars += text.length + ENTRY_OVERHEAD_CHARS;
    for (const oldest of this.#entries.keys()) {
      if (this.#chars <= MEMORY_CAPACITY.search) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const text = this.#entries.get(key);
    if (text === undefined) return;
    this.#chars -= text.length + ENTRY_OVERHEAD_CHARS;
    this.#entries.delete(key);
  }
}

/** Returns the key of an item's results. */
export function itemKey(keyId: string, itemId: string): string {
  return JSON.stringify([keyId, itemId]);
}
