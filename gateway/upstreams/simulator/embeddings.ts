/**
 * Embeddings of a simulated model: unit vectors, equal for equal texts, and near for texts with common
 * words or parts of words.
 *
 * @module
 */

import { base64Of } from "../../wire/embeddings/vectors.ts";
import { yieldToEventLoop } from "../../system/yield_to_event_loop.ts";
import type { EndpointSimulator } from "./endpoint.ts";
import { readSimulate, splitDirective } from "./misbehaviour.ts";
import { isRefusal, refuse } from "./refusal.ts";
import { countTokens } from "./text_tokens.ts";

/** Length of the vectors, unless the request asks for a shorter one. */
export const SIMULATED_DIMENSIONS = 512;
/** Inputs that are embedded at once. */
const AT_ONCE = 64;
/** Length of the parts of words that are compared. */
const PART_CHARS = 3;
/** Weight of a word of three letters or fewer, and of a part of a word, beside a longer word. */
const SHORT_WEIGHT = 0.25;
const PART_WEIGHT = 0.4;

/** Answers `embeddings`. */
export const simulateEmbeddings: EndpointSimulator = async (call, context) => {
  const { input, dimensions = SIMULATED_DIMENSIONS, encoding_format: format, simulate: field } =
    call.body.value;
  const inputs = inputsOf(input);
  if (inputs === undefined) return refuse("input", "Cannot embed this: it is neither text nor ids");
  if (!isLength(dimensions)) {
    const most = `vectors have 1 to ${SIMULATED_DIMENSIONS} numbers`;
    return refuse(
      "dimensions",
      `Cannot embed in ${JSON.stringify(dimensions)} dimensions: ${most}`,
    );
  }
  const { directive } = splitDirective(typeof inputs[0] === "string" ? inputs[0] : "");
  const requested = readSimulate(field, directive);
  if (isRefusal(requested)) return requested;
  const simulate = context.failures.apply(requested, call.model);
  let tokens = 0;
  const data: Record<string, unknown>[] = [];
  for (const [index, one] of inputs.entries()) {
    if (index > 0 && index % AT_ONCE === 0) await yieldToEventLoop();
    tokens += typeof one === "string" ? countTokens(one) : one.length;
    const vector = vectorOf(typeof one === "string" ? splitDirective(one).text : one, dimensions);
    const embedding = format === "base64" ? base64Of(vector) : vector;
    data.push({ object: "embedding", index, embedding });
  }
  const reportedTokens = simulate.usage?.prompt_tokens ?? tokens;
  const usage = { prompt_tokens: reportedTokens, total_tokens: reportedTokens };
  const reported = simulate.noUsage === true ? {} : { usage };
  return {
    simulate,
    json: () => ({
      ...{ object: "list", data: simulate.empty === true ? [] : data, model: call.model },
      ...reported,
    }),
    ...simulate.noUsage === true
      ? {}
      : { usage: { inputTokens: reportedTokens, cachedInputTokens: 0, outputTokens: 0 } },
    *chunks() {},
  };
};

/** A letter of Chinese or Japanese, or a run of other letters and digits. */
const WORD =
  /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]|[[\p{L}\p{N}]--[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}]]+/gv;

type OneInput = string | readonly number[];

function inputsOf(input: unknown): readonly OneInput[] | undefined {
  if (typeof input === "string") return [input];
  if (isIds(input)) return [input];
  const all: readonly unknown[] = Array.isArray(input) ? input : [];
  const known = all.filter((one) => typeof one === "string" || isIds(one));
  return all.length > 0 && known.length === all.length ? known : undefined;
}

function isIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 &&
    value.every((id) => typeof id === "number");
}

function isLength(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 1 &&
    value <= SIMULATED_DIMENSIONS;
}

/** Returns the vector of an input: its words and parts of words, each at a place of its own. */
export function vectorOf(input: OneInput, dimensions: number): number[] {
  const sums = new Float64Array(dimensions);
  const add = (feature: string, weight: number) => {
    const state = hashOf(feature);
    const place = (state >>> 1) % dimensions;
    sums[place] = (sums[place] ?? 0) + ((state & 1) === 0 ? weight : -weight);
  };
  if (typeof input === "string") {
    for (const word of wordsOf(input)) {
      add(word, word.length <= PART_CHARS && /^[a-z]+$/.test(word) ? SHORT_WEIGHT : 1);
      for (let at = 0; word.length > PART_CHARS && at + PART_CHARS <= word.length; at++) {
        add(`part ${word.slice(at, at + PART_CHARS)}`, PART_WEIGHT);
      }
    }
  } else for (const id of input) add(`token ${id}`, 1);
  const length = Math.hypot(...sums);
  // Nothing to compare, or everything cancelled out: still a vector of length 1.
  if (length === 0) return Array.from(sums, (_, at) => at === 0 ? 1 : 0);
  return Array.from(sums, (value) => Math.fround(value / length));
}

/** Returns the words of a text in lower case; letters of Chinese and Japanese stand alone. */
function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().normalize("NFKC").match(WORD) ?? [];
}

/** Returns the FNV-1a hash of a text's UTF-16 code units, with its bits mixed. */
function hashOf(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  state = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
  state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35);
  return (state ^ (state >>> 16)) >>> 0;
}
