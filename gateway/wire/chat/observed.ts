/**
 * Answers of Chat Completions as the checks of answers read them.
 *
 * @module
 */

import type { ChatCompletion, ChunkChoice } from "@svc/sdk/protocol";
import {
  CHECKED_CHARS_MAX,
  type ObservedAnswer,
  type ObservedCall,
} from "../../domain/learning/answer_check.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import type { SignedToolCall } from "../answer_relay.ts";
import { CollectedText } from "../text/collected_text.ts";
import { contentOf } from "./text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Members of a message that are no content for its reader, and those that are read apart. */
const BESIDE: ReadonlySet<string> = new Set([
  ...["role", "refusal", "content", "tool_calls", "function_call", "annotations", "reasoning"],
  ...["reasoning_content", "reasoning_details", "thinking", "thinking_blocks"],
]);

/** Returns a complete answer; `undefined` for one of several choices. */
export function observedCompletion({ value }: Pick<JsonBody, "value">): ObservedAnswer | undefined {
  const { choices } = value as unknown as ChatCompletion;
  const [choice] = choices;
  if (choices.length !== 1 || choice === undefined) return undefined;
  const message: Fields = Object(choice.message);
  const text = contentOf(message);
  return {
    text: text.length > CHECKED_CHARS_MAX ? undefined : text,
    hasContent: hasContent(message),
    ...endingOf(choice.finish_reason, message["refusal"]),
    calls: callsOf(message),
  };
}

function callsOf(message: Fields): readonly ObservedCall[] {
  const { tool_calls: calls, function_call: legacy } = message;
  const all: unknown[] = Array.isArray(calls) ? [...calls] : [];
  if (legacy !== null && legacy !== undefined) all.push({ function: legacy });
  return all.map((call) => {
    const { function: called, custom } = Object(call);
    if (custom !== undefined) return { name: String(Object(custom).name) };
    const { name, arguments: input } = Object(called);
    return { name: String(name), input: typeof input === "string" ? input : JSON.stringify(input) };
  });
}

function hasContent(message: Fields): boolean {
  if (contentOf(message).trim() !== "") return true;
  const { content } = message;
  if (Array.isArray(content) && content.some((part) => typeof part?.text !== "string")) return true;
  return Object.entries(message).some(([name, value]) =>
    !BESIDE.has(name) && value !== null && value !== undefined && value !== ""
  );
}

function endingOf(
  finish: unknown,
  refusal: unknown,
): Pick<ObservedAnswer, "isRefused" | "isCut"> {
  return {
    isRefused: finish === "content_filter" || typeof refusal === "string" && refusal !== "",
    isCut: finish === "length",
  };
}

/** Follows the chunks of a streamed answer. */
export class ObservedStream {
  readonly #text: CollectedText | undefined;
  readonly #indexes = new Set<number>();
  #hasContent = false;
  #refusal = "";
  #finish: string | undefined;

  /** `keepsText`: true where the text itself is checked. */
  constructor(keepsText: boolean) {
    this.#text = keepsText ? new CollectedText() : undefined;
  }

  /** Notes text of the answer; `sourceLength` is the length of the text that it may be a slice of. */
  push(piece: string, sourceLength: number): void {
    this.#hasContent ||= piece.trim() !== "";
    if (this.#text !== undefined && this.#text.length <= CHECKED_CHARS_MAX) {
      this.#text.push(piece, sourceLength);
    }
  }

  /** Notes a choice of a chunk. */
  note({ index, delta, finish_reason: finish }: ChunkChoice): void {
    this.#indexes.add(index);
    if (typeof finish === "string") this.#finish = finish;
    if (delta === undefined || delta === null) return;
    const text = contentOf(delta);
    if (text !== "") this.push(text, text.length);
    if (typeof delta.refusal === "string") this.#refusal = delta.refusal || this.#refusal;
    this.#hasContent ||= hasContent(delta);
  }

  /** Returns the answer; `undefined` for one of several choices. `isLimited`: it was ended here. */
  answer(
    calls: readonly SignedToolCall[],
    { isLimited }: { readonly isLimited: boolean },
  ): ObservedAnswer | undefined {
    if (this.#indexes.size > 1) return undefined;
    const { isRefused, isCut } = endingOf(this.#finish, this.#refusal);
    const text = this.#text?.text();
    return {
      text: text === undefined || text.length > CHECKED_CHARS_MAX ? undefined : text,
      hasContent: this.#hasContent,
      isRefused,
      isCut: isCut || isLimited,
      calls: calls.map(({ name, arguments: input }) => ({ name, input })),
    };
  }
}
