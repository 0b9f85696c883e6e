/**
 * Estimates the tokens of a request's input without a tokenizer.
 *
 * Three kinds of characters are counted: plain (letters and spaces of ASCII), dense (ASCII digits,
 * punctuation, and runs of more than 20 characters without a break, such as base64) and beyond
 * ASCII (UTF-8 bytes more than one for a code unit).
 *
 * Tokens per code unit measured with `o200k_base` (`cl100k_base`): English prose 0.25 (0.25), code
 * 0.25-0.33 (0.25-0.32), JSON 0.39 (0.37), random letters in words of five 0.47 (0.49), base64 0.68
 * (0.72), hexadecimal 0.57 (0.57), random ASCII 0.74 (0.75), Chinese 0.81 (1.16), rare Chinese
 * characters 1.95 (2.52), emoji with joiners 0.95 (1.52). The bound is 0.4 plain + 0.8 dense + 0.9
 * (1.2) beyond ASCII: for English prose 1.6 to 2.1 times the count, for Chinese 2.6 times, for
 * base64 1.2 times. Of the kinds measured two exceed it: random letters in short words by a fifth,
 * random printable ASCII by a third. Their cost beyond the hold is written off.
 *
 * @module
 */

import type { RequestFeatures } from "./features.ts";
import { expectedOutputTokens } from "../routing/value.ts";
import { measureText, type TextMeasure } from "./text_measure.ts";

/** Token bounds of a family of tokenizers. */
export interface ModelFamily {
  readonly name: string;
  /** Maximum tokens of a text, relative to `o200k_base`. */
  readonly margin: number;
  /** Maximum tokens per UTF-8 byte beyond the first of a code unit, before the margin. */
  readonly beyondAscii: number;
  /** Maximum tokens per image. */
  readonly imageTokens: number;
  /** Tokens that the provider adds when tools are declared. */
  readonly toolTokens: number;
}

const OTHER: ModelFamily = {
  name: "other",
  margin: 1.5,
  beyondAscii: 1.2,
  imageTokens: 4_800,
  toolTokens: 600,
};

// The first matching pattern decides. Margins other than gpt's are from the providers' statements
// and published comparisons, rounded up; image figures are the maximum for an unscaled image.
const FAMILIES: readonly (readonly [RegExp, ModelFamily])[] = [
  [/gpt-4o-mini/, { ...OTHER, name: "gpt", margin: 1, beyondAscii: 0.9, imageTokens: 48_200 }],
  [/gpt-4(?![o.\d])|gpt-3\.5/, { ...OTHER, name: "gpt", margin: 1, imageTokens: 2_600 }],
  [/gpt|(?:^|\/)o\d|codex|sim-/, {
    ...OTHER,
    name: "gpt",
    margin: 1,
    beyondAscii: 0.9,
    imageTokens: 2_600,
  }],
  [/claude/, { ...OTHER, name: "claude", toolTokens: 900 }],
  [/gemini|gemma/, { ...OTHER, name: "gemini", margin: 1.15, imageTokens: 2_600 }],
  [/llama|qwen|qwq|deepseek|mistral|mixtral|magistral|codestral|grok|kimi|glm|phi-/, {
    ...OTHER,
    name: "open",
    margin: 1.3,
  }],
];

/** Returns the family of a model by its name at the upstream. */
export function modelFamily(upstreamModel: string): ModelFamily {
  const name = upstreamModel.toLowerCase();
  for (const [pattern, family] of FAMILIES) if (pattern.test(name)) return family;
  return OTHER;
}

const FRAME_TOKENS = 12;
const REPLY_TOKENS = 16;

/** Returns the maximum input tokens of a request for a family. This much is held. */
export function estimateInputTokens(features: RequestFeatures, family: ModelFamily): number {
  const { textChars, textBytes } = features;
  const dense = features.denseChars ?? textChars;
  const text = 0.4 * (textChars - dense) + 0.8 * dense +
    family.beyondAscii * (textBytes - textChars);
  const tools = features.needs.includes("tools") ? family.toolTokens : 0;
  const framing = FRAME_TOKENS * features.framedItems + REPLY_TOKENS + tools;
  const { countedTokens = 0, images } = features;
  return Math.ceil(text * family.margin + countedTokens + framing + images * family.imageTokens);
}

/** Returns the part of the estimate for images, recordings and files, which is not text. */
export function mediaInputTokens(features: RequestFeatures, family: ModelFamily): number {
  const { images, mediaChars = 0 } = features;
  return Math.ceil(0.4 * mediaChars * family.margin + images * family.imageTokens);
}

/**
 * Returns the likely input tokens, without the margin. They decide whether a context is long
 * enough, and which model is expected to cost least.
 */
export function likelyInputTokens(features: RequestFeatures): number {
  const { textChars: chars, textBytes: bytes, denseChars: dense = 0 } = features;
  const text = likelyTokens({ chars, bytes, dense });
  const { countedTokens = 0, framedItems, images } = features;
  return Math.ceil(text + countedTokens + 4 * framedItems + 1_000 * images);
}

/** Returns the likely tokens of a text alone. */
export function likelyTextTokens(text: string): number {
  const measure = { bytes: 0, chars: 0, dense: 0 };
  measureText(text, measure);
  return likelyMeasuredTokens(measure);
}

function likelyTokens({ bytes, chars, dense }: Readonly<TextMeasure>): number {
  return 0.25 * (chars - dense) + 0.5 * dense + 0.3 * (bytes - chars);
}

/** Returns the likely tokens of a measured text alone. */
export function likelyMeasuredTokens(measure: Readonly<TextMeasure>): number {
  return Math.ceil(likelyTokens(measure));
}

/** Expected tokens of a request. */
export interface TokenEstimate {
  readonly inputTokens: number;
  /** Sum over all choices. */
  readonly outputTokens: number;
}

const IMAGE_OUTPUT_TOKENS = 1_000;

/**
 * Returns the typical tokens of a request: {@linkcode likelyInputTokens}, and the output expected
 * for its difficulty (300 to 1 500 tokens per choice, 1 000 per image), or the requested output if
 * that is less. Embeddings have no output.
 */
export function typicalTokens(features: RequestFeatures): TokenEstimate {
  const { endpoint, difficulty, requestedOutputTokens = Infinity, choices } = features;
  if (endpoint === "embeddings") {
    return { inputTokens: likelyInputTokens(features), outputTokens: 0 };
  }
  const usual = endpoint === "chat" || endpoint === "responses"
    ? expectedOutputTokens(difficulty)
    : IMAGE_OUTPUT_TOKENS;
  const each = Math.ceil(Math.min(requestedOutputTokens, usual));
  return { inputTokens: likelyInputTokens(features), outputTokens: each * choices };
}
