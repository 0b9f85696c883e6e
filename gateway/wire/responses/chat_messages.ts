/**
 * Converts items of Responses to messages of Chat Completions.
 *
 * @module
 */

import type { ChatMessage, ContentPart, ToolCall } from "@svc/sdk/protocol";
import type { JsonBody } from "../../ports/upstream.ts";
import { collectStrings } from "../chat/text.ts";
import { OPAQUE_MEMBERS, type OpaqueTexts, opaqueTexts } from "../chat/tool_calls.ts";
import { assistantContent, chatContent } from "./chat_parts.ts";
import type { MessageSource } from "./caller_paths.ts";
import { isSearch, itemType, referencedItem } from "./items.ts";
import { type Loss, lostMembers } from "./loss.ts";

/** The owner of opaque members: a message, or one of its tool calls. */
export interface OpaqueOwner {
  readonly message: number;
  readonly call?: number | undefined;
  readonly opaque: OpaqueTexts;
}

/** Members of a message that only Responses has. */
const MESSAGE_MEMBERS: readonly string[] = ["type", "id", "status", "role", "content", "phase"];

/** Members of a call that Chat Completions has in another field, or does not need. */
const CALL_MEMBERS: readonly string[] = [
  ...["type", "id", "status", "call_id", "name", "arguments"],
  ...OPAQUE_MEMBERS,
];

/** Members of a result that Chat Completions has under the same name. */
const RESULT_EXTRAS: readonly string[] = ["cache_control", "is_error"];

/** All members of a result that Chat Completions has in some field, or does not need. */
const RESULT_MEMBERS: readonly string[] = [
  ...["type", "id", "status", "call_id", "output"],
  ...RESULT_EXTRAS,
];

/** Members that are structure in other item types, but text for the model in these. */
const READ_BESIDE: readonly string[] = ["output", "outputs", "results", "tools"];

type ContentSource = Omit<MessageSource, "calls">;

/** Builds messages, item by item. */
export class ChatMessages {
  /** The conversation, once it is finished. */
  readonly messages: ChatMessage[] = [];
  /** The source of each message, once it is finished. */
  sources: readonly MessageSource[] = [];
  /** Parts that could not be converted. */
  readonly losses: Loss[] = [];
  /** Texts of items that only an upstream of Responses receives: its model reads them. */
  readonly nativeTexts: string[] = [];
  /** Owners of members whose bytes must be kept, once it is finished. */
  opaque: readonly OpaqueOwner[] = [];
  readonly #references: ReadonlyMap<string, JsonBody>;
  readonly #findings: ReadonlyMap<string, string>;
  /** All messages except tool results. */
  readonly #spoken: ChatMessage[] = [];
  /** Owners of opaque members among those messages. */
  #signed: OpaqueOwner[] = [];
  /** The message that makes a call, by the call's id. */
  readonly #callers = new Map<string, ChatMessage>();
  /** Tool results by the message that called them: they follow it, wherever they came. */
  readonly #results = new Map<ChatMessage, ChatMessage[]>();
  // Tool messages are text: other results follow the last of them as a user's message.
  #attachments: ContentPart[] = [];
  #attachedAt = "input";
  readonly #sources = new Map<ChatMessage, MessageSource & { readonly calls: string[] }>();

  /**
   * `references`: items that may be referred to, by id; `findings`: results of searches, by
   * item.
   */
  constructor(
    { references, findings }: {
      readonly references?: ReadonlyMap<string, JsonBody> | undefined;
      readonly findings?: ReadonlyMap<string, string> | undefined;
    },
  ) {
    this.#references = references ?? new Map();
    this.#findings = findings ?? new Map();
  }

  /**
   * Adds instructions before everything else; without other messages they are the user's message.
   */
  instruct(text: string, isAll = false): void {
    this.#push({ role: isAll ? "user" : "system", content: text }, { path: "instructions" });
  }

  /** Adds an item; `path` is its path in the request. */
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
        const target = referencedItem(item, this.#references);
        if (target !== undefined) return this.add(target, path);
        const id = String(item.value["id"]);
        return this.#lose(`${path}.id`, `no item "${id}" is kept here`, "refuse");
      }
      default:
        if (isSearch(item)) return this.#addSearch(item.value, path);
        collectStrings(item.value, this.nativeTexts);
        for (const name of READ_BESIDE) collectStrings(item.value[name], this.nativeTexts);
        this.#lose(`${path}.type`, `an item of type "${type}" cannot be carried`, "native");
    }
  }

  /** Call once, after the last item. */
  finish(): void {
    this.#attach();
    const indexes: number[] = [];
    for (const message of this.#spoken) {
      indexes.push(this.messages.push(message) - 1);
      for (const result of this.#results.get(message) ?? []) this.messages.push(result);
    }
    this.sources = this.messages.map((message) =>
      this.#sources.get(message) ?? { path: "input", calls: [] }
    );
    this.opaque = this.#signed.map((owner) => (
      { ...owner, message: indexes[owner.message] ?? owner.message }
    ));
  }

  /** The assistant's message that further text and calls of the turn belong to. */
  get #openTurn(): ChatMessage | undefined {
    const last = this.#spoken.at(-1);
    return last?.role === "assistant" && !this.#results.has(last) ? last : undefined;
  }

  #addMessage(item: JsonBody, path: string): void {
    const { value } = item;
    if (value["phase"] !== undefined && value["phase"] !== null) {
      this.#lose(`${path}.phase`, "messages have no phase", "report");
    }
    const role = String(value["role"]);
    const source = { path, content: "content" } as const;
    const more = Object.fromEntries(
      Object.entries(value).filter(([name]) => !MESSAGE_MEMBERS.includes(name)),
    );
    if (role === "assistant") {
      const content = assistantContent(value["content"], `${path}.content`, this.losses);
      const isEmpty = content.content === null && content.refusal === undefined;
      if (isEmpty && Object.keys(more).length === 0) return;
      const open = this.#openTurn;
      // Text beside a tool call is part of its turn: nothing may come between a call and its
      // result.
      if (open?.tool_calls !== undefined && open.content === null) {
        Object.assign(open, content, more);
      } else this.#push({ role, ...content, ...(isEmpty ? { content: "" } : {}), ...more }, source);
    } else {
      const content = chatContent(value["content"], `${path}.content`, this.losses);
      this.#push({ role, content, ...more }, source);
    }
    this.#keepOpaque(item, undefined);
  }

  /** Consecutive calls are one turn of the assistant, together with the text before them. */
  #addCall(item: JsonBody, path: string): void {
    const { value } = item;
    const call: ToolCall = {
      id: String(value["call_id"]),
      type: "function",
      function: { name: String(value["name"]), arguments: String(value["arguments"]) },
    };
    for (const [name, member] of Object.entries(value)) {
      if ((OPAQUE_MEMBERS as readonly string[]).includes(name)) call[name] = member;
    }
    this.losses.push(...lostMembers(value, CALL_MEMBERS, path));
    let caller = this.#openTurn;
    if (caller === undefined) this.#push(caller = { role: "assistant", content: null }, { path });
    this.#callers.set(call.id, caller);
    this.#sources.get(caller)?.calls.push(path);
    this.#keepOpaque(item, (caller.tool_calls ??= []).push(call) - 1);
  }

  /**
   * The results of a search become a user's message: that is valid whatever tools are declared. It
   * comes before the calls of its turn, which their results follow.
   */
  #addSearch({ id }: Readonly<Record<string, unknown>>, path: string): void {
    const content = this.#findings.get(String(id));
    if (content === undefined) {
      const reason = "of a search the model reads only the text that came of it";
      return this.#lose(path, reason, "report");
    }
    const message: ChatMessage = { role: "user", content };
    if (this.#openTurn?.tool_calls === undefined) return this.#push(message, { path });
    this.#sources.set(message, { path, calls: [] });
    const at = this.#spoken.length - 1;
    this.#spoken.splice(at, 0, message);
    this.#signed = this.#signed.map((owner) =>
      owner.message >= at ? { ...owner, message: owner.message + 1 } : owner
    );
  }

  #addOutput(value: Readonly<Record<string, unknown>>, path: string): void {
    const id = String(value["call_id"]);
    const caller = this.#callers.get(id);
    const output = chatContent(value["output"], `${path}.output`, this.losses);
    this.losses.push(...lostMembers(value, RESULT_MEMBERS, path));
    if (caller === undefined) return this.#addLoneOutput(id, output, path);
    const extras = Object.fromEntries(
      Object.entries(value).filter(([name, member]) =>
        RESULT_EXTRAS.includes(name) && member !== null
      ),
    );
    const message = { ...extras, role: "tool", tool_call_id: id };
    const source = { path, content: "output" } as const;
    if (typeof output === "string") {
      return this.#answer(caller, { ...message, content: output }, source);
    }
    const texts = output.filter((part) => part.type === "text");
    const others = output.filter((part) => part.type !== "text");
    if (others.length > 0) {
      this.#attachments.push({ type: "text", text: `Result of tool call ${id}:` }, ...others);
      this.#attachedAt = path;
    }
    const content = texts.length > 0 ? texts : "The result is in the next message.";
    this.#answer(caller, { ...message, content }, source);
  }

  /** Servers refuse a tool's message without a call: the result becomes a user's message. */
  #addLoneOutput(id: string, output: string | ContentPart[], path: string): void {
    const reason =
      `no function_call "${id}" comes before it: its output is sent as the user's message`;
    this.#lose(`${path}.call_id`, reason, "report");
    const text = `Result of tool call ${id}:`;
    const content = typeof output === "string"
      ? `${text} ${output}`
      : [{ type: "text", text }, ...output];
    this.#push({ role: "user", content }, { path });
  }

  #answer(caller: ChatMessage, result: ChatMessage, source: ContentSource): void {
    this.#sources.set(result, { ...source, calls: [] });
    const known = this.#results.get(caller);
    if (known === undefined) this.#results.set(caller, [result]);
    else known.push(result);
  }

  #push(message: ChatMessage, source: ContentSource): void {
    this.#attach();
    this.#spoken.push(message);
    this.#sources.set(message, { ...source, calls: [] });
  }

  #attach(): void {
    if (this.#attachments.length === 0) return;
    const message = { role: "user", content: this.#attachments };
    this.#spoken.push(message);
    this.#sources.set(message, { path: this.#attachedAt, calls: [] });
    this.#attachments = [];
  }

  /** The text is read only for items with opaque members: an item of megabytes has to write it. */
  #keepOpaque(item: JsonBody, call: number | undefined): void {
    if (!OPAQUE_MEMBERS.some((name) => Object.hasOwn(item.value, name))) return;
    const opaque = opaqueTexts(item.text);
    if (opaque !== undefined) this.#signed.push({ message: this.#spoken.length - 1, call, opaque });
  }

  #lose(path: string, reason: string, action: Loss["action"]): void {
    this.losses.push({ path, reason, action });
  }
}
