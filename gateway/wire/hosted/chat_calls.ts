import type { ToolCallDelta } from "@svc/sdk/protocol";
import type { SignedToolCall } from "../answer_relay.ts";
import type { ChatForm } from "../chat/form.ts";
import { CollectedText } from "../text/collected_text.ts";
import type { HostedTextOptions } from "./chat_texts.ts";
import type { HostedOptions } from "./relay.ts";
import { HostedCalls } from "./turn.ts";
import { editMembers } from "../json/text.ts";
import { ITEM_CHARS, type KeptChars } from "../text/kept_chars.ts";
import { OpaqueMembers } from "../chat/opaque_members.ts";
import { ToolCallIndexes } from "../chat/tool_call_indexes.ts";
import { addedName, opaqueTexts, toolCallText, withoutName } from "../chat/tool_calls.ts";

/** What the relay of one choice needs besides its model's name. */
export interface HostedChatOptions extends HostedOptions, HostedTextOptions {
  /** Unix time, for upstreams that give none. */
  readonly createdSeconds: number;
  /** @default {SERVICE_FORM} */
  readonly form?: ChatForm | undefined;
  /** A new id for a tool call that came without. */
  newCallId(): string;
}

/** A call while it comes together. */
interface GrowingCall {
  id: string;
  name: string;
  readonly input: CollectedText;
  readonly opaque: OpaqueMembers;
  /** Its index for the caller, once it is shown. */
  index: number | undefined;
}

/** A piece of a call, and its text. */
interface Piece {
  readonly delta: Partial<ToolCallDelta>;
  readonly text: string;
}

/** The tool calls of an answer of several turns: those of hosted tools are hidden from the caller. */
export class HostedChatCalls {
  readonly #hosted: HostedCalls;
  readonly #newId: () => string;
  readonly #kept: KeptChars;
  readonly #shown: GrowingCall[] = [];
  #turn: GrowingCall[] = [];
  /** Ids of the turn's calls. */
  #ids = new Set<string>();
  #indexes = new ToolCallIndexes();

  /** `kept` counts what is kept of them. */
  constructor(
    options: Pick<HostedChatOptions, "hosted" | "newCallId">,
    kept: KeptChars,
  ) {
    this.#kept = kept;
    this.#hosted = new HostedCalls(options.hosted);
    this.#newId = () => options.newCallId();
  }

  /** Whether the caller was shown calls of the turn at hand. */
  get hasShownInTurn(): boolean {
    return this.#turn.some((call) => call.index !== undefined);
  }

  /** All calls of the turn at hand. */
  ofTurn(): readonly SignedToolCall[] {
    return this.#turn.map(signedCall);
  }

  /** All calls that the caller was shown, as a message has them: JSON texts. */
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

  /** No more deltas will come in this turn: shows what was held back, and is no hosted tool's. */
  showRest(): readonly string[] {
    const texts: string[] = [];
    for (const call of this.#turn) {
      if (this.#hosted.has(call.name)) call.id ||= this.#newId();
      else if (call.index === undefined) texts.push(this.#show(call));
    }
    return texts;
  }

  /** Another turn: indexes and ids of its upstream mean other calls. */
  beginTurn(): void {
    this.#turn = [];
    this.#ids = new Set();
    this.#indexes = new ToolCallIndexes();
  }

  #begin(piece: Piece): string[] {
    this.#kept.take(ITEM_CHARS);
    // Once another call has begun, the name of the one before it is whole.
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
    this.#kept.take(name.length);
    call.name += name;
    if (typeof input === "string") {
      this.#kept.take(input.length);
      call.input.push(input);
    }
    const opaque = opaqueTexts(text);
    if (opaque !== undefined) call.opaque.add(opaque, this.#kept);
    if (call.index !== undefined) {
      const isOther = delta.id !== undefined && delta.id !== call.id;
      const isRepeated = typeof piece === "string" && piece !== "" && name === "";
      return [editMembers(isRepeated ? withoutName(text) : text, {
        index: String(call.index),
        ...(isOther ? { id: undefined } : {}),
      })];
    }
    // Two calls of one id could not be answered apart: the second is given another.
    if (typeof delta.id === "string" && delta.id !== "" && !this.#ids.has(delta.id)) {
      this.#ids.add(call.id = delta.id);
    }
    const hasInput = typeof input === "string" && input !== "";
    if (!this.#hosted.mayShow(call.name, hasInput)) return [];
    return [this.#show(call, isNew ? text : undefined)];
  }

  /** `text` is all that has come of the call, where it came at once. */
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
