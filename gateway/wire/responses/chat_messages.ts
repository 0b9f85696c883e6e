/**
 * Items of Responses as messages of Chat Completions.
 *
 * @module
 */

import type { ChatMessage, ContentPart, ToolCall } from "@svc/sdk/protocol";
import type { JsonBody } from "../../ports/upstream.ts";
import { OPAQUE_MEMBERS, type OpaqueTexts, opaqueTexts } from "../tool_calls.ts";
import { assistantContent, chatContent } from "./chat_parts.ts";
import { isSearch, itemType, referencedItem } from "./items.ts";
import type { Loss } from "./loss.ts";

/** Where opaque members belong: to a message, or to one of its tool calls. */
export interface OpaquePlace {
  readonly message: number;
  readonly call?: number | undefined;
  readonly opaque: OpaqueTexts;
}

/** Members of a message that mean something in Responses alone. */
const MESSAGE_MEMBERS: readonly string[] = ["type", "id", "status", "role", "content", "phase"];

/** Members of a call that have a place of their own in Chat Completions, or need none. */
const CALL_MEMBERS: readonly string[] = [
  ...["type", "id", "status", "call_id", "name", "arguments"],
  ...OPAQUE_MEMBERS,
];

/** Puts messages together, item by item. */
export class ChatMessages {
  /** The conversation so far. */
  readonly messages: ChatMessage[] = [];
  /** What could not be carried. */
  readonly losses: Loss[] = [];
  /** Whose bytes must be kept. */
  readonly opaque: OpaquePlace[] = [];
  readonly #references: ReadonlyMap<string, JsonBody>;
  readonly #found: ReadonlyMap<string, string>;
  readonly #callIds = new Set<string>();
  // Tool messages are text: what else a tool gave follows the last of them as the user's message.
  #attachments: ContentPart[] = [];

  /** `references`: items that may be referred to, by id; `found`: what searches found, by item. */
  constructor(
    { references, found }: {
      readonly references?: ReadonlyMap<string, JsonBody> | undefined;
      readonly found?: ReadonlyMap<string, string> | undefined;
    },
  ) {
    this.#references = references ?? new Map();
    this.#found = found ?? new Map();
  }

  /** Says something before everything else. */
  instruct(text: string): void {
    this.#push({ role: "system", content: text });
  }

  /** Adds an item; `path` is where it stands in the request. */
  add(item: JsonBody, path: string): void {
    const type = itemType(item);
    switch (type) {
      case "message":
        return this.#addMessage(item, path);
      case "function_call":
        return this.#addCall(item, path);
      case "function_call_output":
        return this.#addOutput(item.value, path);
      case "reasoning":
        return this.#lose(path, "earlier reasoning is not repeated to the model", "report");
      case "item_reference": {
        const found = referencedItem(item, this.#references);
        if (found !== undefined) return this.add(found, path);
        const id = String(item.value["id"]);
        return this.#lose(`${path}.id`, `no item "${id}" is kept here`, "refuse");
      }
      default:
        if (isSearch(item)) return this.#addSearch(item.value, path);
        this.#lose(`${path}.type`, `an item of type "${type}" cannot be carried`, "native");
    }
  }

  /** Call once, after the last item. */
  finish(): void {
    this.#attach();
  }

  #addMessage({ text, value }: JsonBody, path: string): void {
    if (value["phase"] !== undefined && value["phase"] !== null) {
      this.#lose(`${path}.phase`, "messages have no phase", "report");
    }
    const role = String(value["role"]);
    const more = Object.fromEntries(
      Object.entries(value).filter(([name]) => !MESSAGE_MEMBERS.includes(name)),
    );
    if (role === "assistant") {
      const said = assistantContent(value["content"], `${path}.content`, this.losses);
      const last = this.messages.at(-1);
      // Words beside a tool call are part of its turn: nothing may stand between it and its result.
      if (last?.tool_calls !== undefined && last.content === null) Object.assign(last, said, more);
      else this.#push({ role, ...said, ...more });
    } else {
      const content = chatContent(value["content"], `${path}.content`, this.losses);
      this.#push({ role, content, ...more });
    }
    this.#keepOpaque(text, undefined);
  }

  /** Calls in a row are one turn of the assistant, together with what it said before them. */
  #addCall({ text, value }: JsonBody, path: string): void {
    const call: ToolCall = {
      id: String(value["call_id"]),
      type: "function",
      function: { name: String(value["name"]), arguments: String(value["arguments"]) },
    };
    for (const [name, member] of Object.entries(value)) {
      if ((OPAQUE_MEMBERS as readonly string[]).includes(name)) call[name] = member;
      else if (!CALL_MEMBERS.includes(name) && member !== null) {
        this.#lose(`${path}.${name}`, "tool calls have no such field", "report");
      }
    }
    this.#callIds.add(call.id);
    const last = this.messages.at(-1);
    if (last?.role === "assistant") (last.tool_calls ??= []).push(call);
    else this.#push({ role: "assistant", content: null, tool_calls: [call] });
    this.#keepOpaque(text, (this.messages.at(-1)?.tool_calls?.length ?? 0) - 1);
  }

  /**
   * What a search found is the user's message: that is valid whatever tools are declared. It stands
   * before the calls of its turn, which their results follow.
   */
  #addSearch({ id }: Readonly<Record<string, unknown>>, path: string): void {
    const content = this.#found.get(String(id));
    if (content === undefined) {
      const reason = "of a search the model reads only the text that came of it";
      return this.#lose(path, reason, "report");
    }
    const message: ChatMessage = { role: "user", content };
    if (this.messages.at(-1)?.tool_calls === undefined) return this.#push(message);
    const at = this.messages.length - 1;
    this.messages.splice(at, 0, message);
    for (const [index, place] of this.opaque.entries()) {
      if (place.message >= at) this.opaque[index] = { ...place, message: place.message + 1 };
    }
  }

  #addOutput(value: Readonly<Record<string, unknown>>, path: string): void {
    const id = String(value["call_id"]);
    if (!this.#callIds.has(id)) {
      this.#lose(`${path}.call_id`, `no function_call "${id}" stands before it`, "native");
    }
    const output = chatContent(value["output"], `${path}.output`, this.losses);
    if (typeof output === "string") return this.#pushResult(id, output);
    const texts = output.filter((part) => part.type === "text");
    const others = output.filter((part) => part.type !== "text");
    if (others.length > 0) {
      this.#attachments.push({ type: "text", text: `Result of tool call ${id}:` }, ...others);
    }
    this.#pushResult(id, texts.length > 0 ? texts : "The result is in the next message.");
  }

  #pushResult(id: string, content: string | ContentPart[]): void {
    this.messages.push({ role: "tool", tool_call_id: id, content });
  }

  #push(message: ChatMessage): void {
    this.#attach();
    this.messages.push(message);
  }

  #attach(): void {
    if (this.#attachments.length === 0) return;
    this.messages.push({ role: "user", content: this.#attachments });
    this.#attachments = [];
  }

  #keepOpaque(text: string, call: number | undefined): void {
    const opaque = opaqueTexts(text);
    if (opaque !== undefined) this.opaque.push({ message: this.messages.length - 1, call, opaque });
  }

  #lose(path: string, reason: string, action: Loss["action"]): void {
    this.losses.push({ path, reason, action });
  }
}
