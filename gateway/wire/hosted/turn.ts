/**
 * The calls of hosted tools in a turn, and a turn as the conversation continues with it.
 *
 * @module
 */

import type { SignedToolCall } from "../answer_relay.ts";
import type { EndedTurn, HostedNames } from "./relay.ts";
import { editMembers } from "../json/text.ts";
import { toolCallText } from "../chat/tool_calls.ts";

/** Recognises calls of hosted tools by their names. */
export class HostedCalls {
  readonly #names: readonly string[];

  constructor(hosted: HostedNames | undefined) {
    this.#names = Object.values(hosted ?? {});
  }

  /** True when a call of this name is of a hosted tool. */
  has(name: string): boolean {
    return this.#names.includes(name);
  }

  /**
   * True when a call with the name so far, `name`, may be sent: not while the name may still become
   * a hosted tool's. The name is complete once the call's input, or another call, has begun.
   */
  mayShow(name: string, isWhole: boolean): boolean {
    if (name === "" || this.has(name)) return false;
    return isWhole || !this.#names.some((hosted) => hosted.startsWith(name));
  }
}

/** Content of a model's turn. */
export interface TurnContent {
  readonly content: string;
  readonly refusal: string;
  /** Opaque members of the message. */
  readonly opaque: ReadonlyMap<string, string>;
  readonly calls: readonly SignedToolCall[];
  readonly finishReason: string | undefined;
}

/** Returns the turn for the rest of the conversation; `events` end it for the caller. */
export function endedTurn(turn: TurnContent, events: string): EndedTurn {
  const { content, refusal, opaque, finishReason = "stop" } = turn;
  const calls = turn.calls.map((call) => ({ ...call, text: toolCallText(call) }));
  const message = JSON.stringify({
    role: "assistant",
    content: content === "" ? null : content,
    ...(refusal === "" ? {} : { refusal }),
  });
  const signed = editMembers(message, {
    ...(calls.length === 0 ? {} : { tool_calls: `[${calls.map(({ text }) => text).join(",")}]` }),
    ...Object.fromEntries(opaque),
  });
  return { events, message: signed, calls, finishReason };
}
