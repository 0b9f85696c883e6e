import { type CallerMemory, MEMORY_CAPACITY } from "../../ports/caller_memory.ts";
import { BoundedMap } from "../../system/bounded_map.ts";

/** Returns the name of a conversation: the key id and a hash of its leading messages. */
export function conversationName(keyId: string, conversation: string): string {
  return `${keyId} ${conversation}`;
}

/** The model that answered each conversation last, by the conversation's name. */
export class ConversationModels {
  readonly #models = new BoundedMap<string, string>(MEMORY_CAPACITY.conversation);
  readonly #shared: Pick<CallerMemory, "note"> | undefined;

  /** `shared`: where other instances read them. @default {nowhere} */
  constructor(shared?: Pick<CallerMemory, "note">) {
    this.#shared = shared;
  }

  get(conversation: string): string | undefined {
    return this.#models.get(conversation);
  }

  set(conversation: string, model: string): void {
    if (this.#shared !== undefined && this.#models.get(conversation) !== model) {
      this.#shared.note({ kind: "conversation", id: conversation }, { text: model, size: 1 });
    }
    this.#models.set(conversation, model);
  }

  /** Stores a model that another instance has noted. */
  learn(conversation: string, model: string): void {
    this.#models.set(conversation, model);
  }
}
