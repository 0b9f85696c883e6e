/**
 * Which calls of a turn are of hosted tools, and a turn as its next one reads it.
 *
 * @module
 */

import type { SignedToolCall } from "../answer_relay.ts";
import type { EndedTurn, HostedNames } from "./relay.ts";
import { editMembers } from "../json/text.ts";
import { toolCallText } from "../chat/tool_calls.ts";

/** Tells calls of hosted tools by their names. */
export class HostedCalls {
  readonly #names: readonly string[];

  constructor(hosted: HostedNames | undefined) {
    this.#names = Object.values(hosted ?? {});
  }

  /** Whether a call of this name is of a hosted tool. */
  has(name: string): boolean {
    return this.#names.includes(name);
  }

  /**
   * Whether a call may be shown, its name being `name` so far: not while that may still grow into a
   * hosted tool's. It is whole once the call's input, or another call, has begun.
   */
  mayShow(name: string, isWhole: boolean): boolean {
    if (name === "" || this.has(name)) return false;
    return isWhole || !this.#names.some((hosted) => hosted.startsWith(name));
  }
}

/** What a model said in a turn. */
export interface TurnContent {
  readonly content: string;
  readonly refusal: string;
  /** Of the message. */
  readonly opaque: ReadonlyMap<string, string>;
  readonly calls: readonly SignedToolCall[];
  readonly finishReason: string | undefined;
}

/** The turn as the conversation goes on with it; `events` end it for the caller. */
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
