/**
 * Lets memories follow a caller from instance to instance: before a request is planned, this instance
 * reads what others remember for it.
 *
 * @module
 */

import type { ChatRequest } from "@svc/sdk/protocol";
import { conversationOf } from "../../domain/requests/features.ts";
import type { CallerMemory, MemoryName } from "../../ports/caller_memory.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { isSearch, itemType } from "../../wire/responses/items.ts";
import { itemKey, type SearchMemory } from "../hosted/search_memory.ts";
import { type ConversationModels, conversationName } from "../plan/conversation_models.ts";
import { callDigest, hasSignature, type SignatureMemory } from "../plan/signature_memory.ts";

/** Maximum entries that are read for one request: those of its latest calls. */
const NAMES_MAX = 2_000;

/** The memories of this instance, and the one that it shares with others. */
export interface RecallDeps {
  readonly memory: Pick<CallerMemory, "read">;
  readonly signatures: Pick<SignatureMemory, "has" | "learn">;
  readonly searchMemory: Pick<SearchMemory, "has" | "learn">;
  readonly conversations: Pick<ConversationModels, "learn">;
}

/** Reads what other instances remember. Each method returns `undefined` if there is nothing to read. */
export class Recall {
  readonly #deps: RecallDeps;

  constructor(deps: RecallDeps) {
    this.#deps = deps;
  }

  /**
   * Reads what the continuation of a chat needs: the model of the conversation, which another
   * instance may have changed, and what is unknown here of its tool calls.
   */
  chat(keyId: string, { value }: JsonBody): Promise<void> | undefined {
    const { messages } = value as unknown as ChatRequest;
    if (!messages.some(({ role }) => role === "assistant")) return undefined;
    const calls = messages.flatMap(({ tool_calls: calls }) => Array.isArray(calls) ? calls : []);
    const conversation = conversationName(keyId, conversationOf(messages));
    return this.#read([
      { kind: "conversation", id: conversation },
      ...calls.toReversed().flatMap((call) => this.#unknownOf(keyId, call)),
    ]);
  }

  /** Reads the results of searches among the items of a request that are unknown here. */
  searches(keyId: string, items: readonly JsonBody[]): Promise<void> | undefined {
    const unknown = items.flatMap((item): MemoryName[] => {
      const { id } = item.value;
      const isNamed = isSearch(item) || itemType(item) === "item_reference";
      if (typeof id !== "string" || !isNamed) return [];
      const name = itemKey(keyId, id);
      return this.#deps.searchMemory.has(name) ? [] : [{ kind: "search", id: name }];
    });
    return unknown.length === 0 ? undefined : this.#read(unknown);
  }

  #unknownOf(keyId: string, call: object): MemoryName[] {
    const { signatures, searchMemory } = this.#deps;
    const id = callDigest(keyId, call);
    if (id === undefined) return [];
    const names: MemoryName[] = [];
    if (!hasSignature(call) && !signatures.has(id)) names.push({ kind: "signature", id });
    if (!searchMemory.has(id)) names.push({ kind: "search", id });
    return names;
  }

  async #read(names: readonly MemoryName[]): Promise<void> {
    const { memory, signatures, searchMemory, conversations } = this.#deps;
    for (const { kind, id, text } of await memory.read(names.slice(0, NAMES_MAX))) {
      if (kind === "signature") signatures.learn(id, text);
      else if (kind === "search") searchMemory.learn(id, text);
      else conversations.learn(id, text);
    }
  }
}
