import type { ToolCallDelta } from "@svc/sdk/protocol";
import type { SignedToolCall } from "../answer_relay.ts";
import type { ChatForm } from "../chat/form.ts";
import { CollectedText } from "../text/collected_text.ts";
import type { HostedTextOptions } from "./chat_texts.ts";
import type { HostedOptions } from "./relay.ts";
import { HostedCalls } from "./turn.ts";
import { editMembers } from "../json/text.ts";
import { type CharBudget, ITEM_CHARS } from "../text/char_budget.ts";
import { OpaqueMembers } from "../chat/opaque_members.ts";
import { ToolCallIndexes } from "../chat/tool_call_indexes.ts";
import { addedName, opaqueTexts, toolCallText, withoutName } from "../chat/tool_calls.ts";

/** Options of the relay of one choice. */
export interface HostedChatOptions extends HostedOptions, HostedTextOptions {
  /** Unix time, for upstreams that send none. */
  readonly createdSeconds: number;
  /** @default {SERVICE_FORM} */
  readonly form?: ChatForm | undefined;
  /** Returns a new id for a tool call that has none. */
  newCallId(): string;
}

/** A call while its pieces arrive. */
interface GrowingCall {
  id: string;
  name: string;
  readonly input: CollectedText;
  readonly opaque: OpaqueMembers;
  /** Its index for the caller, once it is sent. */
  index: number | undefined;
}

/** A piece of a call, and its text. */
interface Piece {
  readonly delta: Partial<ToolCallDelta>;
  readonly text: string;
}

/**
 * The tool calls of an answer of several turns: those of hosted tools are hidden from the caller.
 */
export class HostedChatCalls {
  readonly #hosted: HostedCalls;
  readonly #newId: () => string;
  readonly #budget: CharBudget;
  readonly #shown: GrowingCall[] = [];
  #turn: GrowingCall[] = [];
  /** Ids of the turn's calls. */
  #ids = new Set<string>();
  #indexes = new ToolCallIndexes();

  /** `budget` counts their characters. */
  constructor(options: Pick<HostedChatOptions, "hosted" | "newCallId">, budget: CharBudget) {
    this.#budget = budget;
    this.#hosted = new HostedCalls(options.hosted);
    this.#newId = () => options.newCallId();
  }

  /** True when calls of the current turn were sent to the caller. */
  get hasShownInTurn(): boolean {
    return this.#turn.some((call) => call.index !== undefined);
  }

  /** Returns all calls of the current turn. */
  ofTurn(): readonly SignedToolCall[] {
    return this.#turn.map(signedCall);
  }

  /** Returns all calls that were sent to the caller, in the form of a message: JSON texts. */
  shown(): readonly string[] {
    return this.#shown.map((call) => toolCallText(signedCall(call)));
  }

  /** Takes the deltas of a chunk, with their texts; returns those for the caller. */
  follow(deltas: readonly Partial<ToolCallDelta>[], texts: readonly string[]): readonly string[] {
    const places = this.#indexes.of(deltas);
    return deltas.flatMap((delta, at) => {
      const piece = { delta, text: texts[at] ?? "{}" };
      const known = this.#turn[places[at] ?? this.#turn.length];
      return known === undefined ? this.#begin(piece) : this.#grow(known, piece);
    });
  }

  /** Ends the turn's deltas: returns those that were held back and belong to no hosted tool. */
  showRest(): readonly string[] {
    const texts: string[] = [];
    for (const call of this.#turn) {
      if (this.#hosted.has(call.name)) call.id ||= this.#newId();
      else if (call.index === undefined) texts.push(this.#show(call));
    }
    return texts;
  }

  /** Begins another turn, whose indexes and ids mean other calls. */
  beginTurn(): void {
    this.#turn = [];
    this.#ids = new Set();
    this.#indexes = new ToolCallIndexes();
  }

  #begin(piece: Piece): string[] {
    this.#budget.add(ITEM_CHARS);
    // Once another call has begun, the name of the one before it is complete.
    const before = this.#turn.at(-1);
    const isDecided = before !== undefined && before.index === undefined &&
      this.#hosted.mayShow(before.name, true);
    const decided = isDecided ? [this.#show(before)] : [];
    const call = newCall();
    this.#turn.push(call);
    return [...decided, ...this.#grow(call, piece, true)];
  }

  #grow(call: GrowingCall, { delta, text }: Piece, isNew = false): string[] {
    const { name: piece, arguments: input } = delta.function ?? {};
    const name = addedName(call.name, piece);
    this.#budget.add(name.length);
    call.name += name;
    if (typeof input === "string") {
      this.#budget.add(input.length);
      call.input.push(input);
    }
    const opaque = opaqueTexts(text);
    if (opaque !== undefined) call.opaque.add(opaque, this.#budget);
    if (call.index !== undefined) {
      const isOther = delta.id !== undefined && delta.id !== call.id;
      const isRepeated = typeof piece === "string" && piece !== "" && name === "";
      return [editMembers(isRepeated ? withoutName(text) : text, {
        index: String(call.index),
        ...(isOther ? { id: undefined } : {}),
      })];
    }
    // Two calls with one id could not be answered separately: the second gets another.
    if (typeof delta.id === "string" && delta.id !== "" && !this.#ids.has(delta.id)) {
      this.#ids.add(call.id = delta.id);
    }
    const hasInput = typeof input === "string" && input !== "";
    if (!this.#hosted.mayShow(call.name, hasInput)) return [];
    return [this.#show(call, isNew ? text : undefined)];
  }

  /** `text` is the whole call, where it came at once. */
  #show(call: GrowingCall, text?: string): string {
    const hasId = call.id !== "";
    call.id ||= this.#newId();
    call.index = this.#shown.push(call) - 1;
    return editMembers(text ?? toolCallText(signedCall(call)), {
      index: String(call.index),
      ...(hasId ? {} : { id: JSON.stringify(call.id) }),
    });
  }
}

function newCall(): GrowingCall {
  return {
    id: "",
    name: "",
    input: new CollectedText(),
    opaque: new OpaqueMembers(),
    index: undefined,
  };
}

function signedCall({ id, name, input, opaque }: GrowingCall): SignedToolCall {
  return { id, name, arguments: input.text(), opaque: opaque.texts() };
}
