import { type Model, outputRoom } from "../../domain/catalog/catalog.ts";
import { chatFeatures } from "../../domain/requests/features.ts";
import { likelyInputTokens } from "../../domain/requests/token_estimate.ts";
import { measureText } from "../../domain/requests/text_measure.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";

/** Longest result of a search that a model reads, in UTF-16 code units. */
export const RESULT_CHARS_MAX = 100_000;
/** Left of both bounds for what stands around the results: the note, numbers, brackets. */
const FRAME_CHARS = 1_000;
const FRAME_TOKENS = 400;
/** A passage shorter than this says nothing. */
const LEAST_TEXT_CHARS = 100;

/** The room that a turn's model has left for what its searches find. */
export class ResultRoom {
  readonly #model: Pick<Model, "contextTokens" | "maxOutputTokens">;
  readonly #conversation: Pick<ChatBody, "value">;
  /** Counted when something is found. */
  #tokens: number | undefined;

  /** `conversation`: what the model was asked. */
  constructor(
    model: Pick<Model, "contextTokens" | "maxOutputTokens">,
    conversation: Pick<ChatBody, "value">,
  ) {
    this.#model = model;
    this.#conversation = conversation;
  }

  /**
   * Those of the results that there is room for, each whole and in their order; the best of them
   * with a shorter text where none is short enough. A search takes at most half of what is left, so
   * that there is room for others and for the answer. `shown`: what the model reads of one.
   */
  take<T extends { readonly text: string }>(
    results: readonly T[],
    shown: (result: T) => object,
  ): T[] {
    const left = this.#tokens ??= this.#left();
    const most = { tokens: left / 2, chars: RESULT_CHARS_MAX - FRAME_CHARS };
    const kept: T[] = [];
    let tokens = 0;
    let chars = 0;
    const add = (result: T): boolean => {
      const size = sizeOf(shown(result));
      if (tokens + size.tokens > most.tokens || chars + size.chars > most.chars) return false;
      tokens += size.tokens;
      chars += size.chars;
      kept.push(result);
      return true;
    };
    for (const result of results) add(result);
    if (kept.length === 0) results.some((result) => shorter(result).some(add));
    this.#tokens = left - tokens;
    return kept;
  }

  #left(): number {
    const features = chatFeatures(this.#conversation.value);
    const { contextTokens } = this.#model;
    const output = outputRoom(this.#model, features.requestedOutputTokens);
    return Math.max(0, contextTokens - likelyInputTokens(features) - output - FRAME_TOKENS);
  }
}

/** The result with half of its text, a quarter of it, and so on. */
function shorter<T extends { readonly text: string }>(result: T): T[] {
  const shortened: T[] = [];
  for (let most = result.text.length >> 1; most >= LEAST_TEXT_CHARS; most >>= 1) {
    // Half of a surrogate pair is no character.
    shortened.push({
      ...result,
      text: `${result.text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…`,
    });
  }
  return shortened;
}

/** Most that a result comes to, as `token_estimate.ts` bounds texts. */
function sizeOf(result: object): { readonly tokens: number; readonly chars: number } {
  const text = JSON.stringify(result);
  const measure = { bytes: 0, chars: 0, dense: 0 };
  measureText(text, measure);
  const { bytes, chars, dense } = measure;
  const tokens = 0.4 * (chars - dense) + 0.8 * dense + 1.2 * (bytes - chars);
  // Its number, and the name of that.
  return { tokens: tokens + 8, chars: chars + 20 };
}
