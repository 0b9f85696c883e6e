import { type Model, outputRoom } from "../../domain/catalog/catalog.ts";
import { chatFeatures } from "../../domain/requests/features.ts";
import { likelyInputTokens } from "../../domain/requests/token_estimate.ts";
import { measureText } from "../../domain/requests/text_measure.ts";
import type { ChatBody } from "../../wire/responses/chat_request.ts";

/** Maximum length of a result that a model reads, in UTF-16 code units. */
export const RESULT_CHARS_MAX = 100_000;
/** Room within both bounds for the text around the results: the note, numbers, brackets. */
const FRAME_CHARS = 1_000;
const FRAME_TOKENS = 400;
/** Minimum useful length of a passage, in characters. */
const LEAST_TEXT_CHARS = 100;

/** Tokens and characters that remain for search results in the context of a turn's model. */
export class ResultBudget {
  readonly #model: Pick<Model, "contextTokens" | "maxOutputTokens">;
  readonly #conversation: Pick<ChatBody, "value">;
  /** Remaining tokens; counted with the first results. */
  #tokens: number | undefined;

  /** `conversation`: the request of the turn. */
  constructor(
    model: Pick<Model, "contextTokens" | "maxOutputTokens">,
    conversation: Pick<ChatBody, "value">,
  ) {
    this.#model = model;
    this.#conversation = conversation;
  }

  /**
   * Returns the results that fit, each complete and in their order; if none fits, the best one with
   * a shorter text. A search takes at most half of the remaining budget, so that other searches and
   * the answer fit, too. `shown`: returns the part of a result that the model reads.
   */
  take<T extends { readonly text: string }>(
    results: readonly T[],
    shown: (result: T) => object,
  ): T[] {
    const remaining = this.#tokens ??= this.#countTokens();
    const most = { tokens: remaining / 2, chars: RESULT_CHARS_MAX - FRAME_CHARS };
    const fitting: T[] = [];
    let tokens = 0;
    let chars = 0;
    const add = (result: T): boolean => {
      const size = sizeOf(shown(result));
      if (tokens + size.tokens > most.tokens || chars + size.chars > most.chars) return false;
      tokens += size.tokens;
      chars += size.chars;
      fitting.push(result);
      return true;
    };
    for (const result of results) add(result);
    if (fitting.length === 0) results.some((result) => shorter(result).some(add));
    this.#tokens = remaining - tokens;
    return fitting;
  }

  #countTokens(): number {
    const features = chatFeatures(this.#conversation.value);
    const { contextTokens } = this.#model;
    const output = outputRoom(this.#model, features.requestedOutputTokens);
    return Math.max(0, contextTokens - likelyInputTokens(features) - output - FRAME_TOKENS);
  }
}

/** Returns the result with half of its text, a quarter of it, and so on. */
function shorter<T extends { readonly text: string }>(result: T): T[] {
  const shortened: T[] = [];
  for (let most = result.text.length >> 1; most >= LEAST_TEXT_CHARS; most >>= 1) {
    // A surrogate pair must not be split.
    shortened.push({
      ...result,
      text: `${result.text.slice(0, most).replace(/[\uD800-\uDBFF]$/, "")}…`,
    });
  }
  return shortened;
}

/** Returns the maximum size of a result, bounded as in `token_estimate.ts`. */
function sizeOf(result: object): { readonly tokens: number; readonly chars: number } {
  const text = JSON.stringify(result);
  const measure = { bytes: 0, chars: 0, dense: 0 };
  measureText(text, measure);
  const { bytes, chars, dense } = measure;
  const tokens = 0.4 * (chars - dense) + 0.8 * dense + 1.2 * (bytes - chars);
  // Adds the number of the result and the name of that member.
  return { tokens: tokens + 8, chars: chars + 20 };
}
