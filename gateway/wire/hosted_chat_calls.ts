import type { ToolCallDelta } from "@svc/sdk/protocol";
import type { SignedToolCall } from "./answer_relay.ts";
import { GatheredText } from "./gathered_text.ts";
import type { HostedNames } from "./hosted_relay.ts";
import { HostedCalls } from "./hosted_turn.ts";
import { editMembers } from "./json_text.ts";
import { noteOpaque, ToolCallIndexes, toolCallText } from "./tool_calls.ts";

/** A call while it comes together. */
interface GrowingCall {
  id: string;
  name: string;
  readonly input: GatheredText;
  readonly opaque: Map<string, string>;
  /** Its index for the caller, once it is shown. */
  index: number | undefined;
}

/** The tool calls of an answer of several turns: those of hosted tools are hidden from the caller. */
export class HostedChatCalls {
  readonly #hosted: HostedCalls;
  readonly #newId: () => string;
  readonly #shown: GrowingCall[] = [];
  #turn: GrowingCall[] = [];
  #indexes = new ToolCallIndexes();

  constructor(options: { hosted?: HostedNames | undefined; newCallId(): string }) {
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
    return deltas.flatMap((delta, at) => this.#follow(delta, texts[at] ?? "{}"));
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
    this.#indexes = new ToolCallIndexes();
  }

  /** Forgets the turn at hand. */
  dropTurn(): void {
    this.#shown.length -= this.#turn.filter((call) => call.index !== undefined).length;
    this.beginTurn();
  }

  #follow(delta: Partial<ToolCallDelta>, text: string): string[] {
    const known = this.#turn[this.#indexes.of(delta)];
    if (known !== undefined) return this.#grow(known, { delta, text });
    // Once another call has begun, the names of those before it are whole.
    const decided = this.#turn.filter((call) =>
      call.index === undefined && this.#hosted.mayShow(call.name, true)
    ).map((call) => this.#show(call));
    const call = newCall();
    this.#turn.push(call);
    return [...decided, ...this.#grow(call, { delta, text, isNew: true })];
  }

  #grow(
    call: GrowingCall,
    { delta, text, isNew = false }: {
      readonly delta: Partial<ToolCallDelta>;
      readonly text: string;
      readonly isNew?: boolean;
    },
  ): string[] {
    const { name, arguments: input } = delta.function ?? {};
    if (typeof name === "string") call.name += name;
    if (typeof input === "string") call.input.push(input);
    noteOpaque(call.opaque, text);
    if (call.index !== undefined) {
      const isOther = delta.id !== undefined && delta.id !== call.id;
      return [editMembers(text, {
        index: String(call.index),
        ...(isOther ? { id: undefined } : {}),
      })];
    }
    if (typeof delta.id === "string" && delta.id !== "") call.id = delta.id;
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
  return { id: "", name: "", input: new GatheredText(), opaque: new Map(), index: undefined };
}

function signedCall({ id, name, input, opaque }: GrowingCall): SignedToolCall {
  return { id, name, arguments: input.text(), opaque };
}
