/**
 * Features of a request for embeddings.
 *
 * @module
 */

import type { EmbeddingInput, EmbeddingRequest } from "@svc/sdk/protocol";
import { atOnce, type Steps } from "../redaction/steps.ts";
import type { RequestFeatures } from "./features.ts";
import { measureSteps } from "./text_measure.ts";
import { likelyMeasuredTokens } from "./token_estimate.ts";

/** Feature tag of models that can shorten their vectors. */
export const DIMENSIONS_TAG = "dimensions";
/** Feature tag of models that take token ids. */
export const TOKEN_IDS_TAG = "token_ids";

/** Inputs per step. */
const STEP_INPUTS = 256;

/** One input: a text, or the ids of its tokens. */
export type OneInput = string | readonly number[];

/** Returns the inputs of a request, in their order. */
export function inputsOf(input: EmbeddingInput): readonly OneInput[] {
  if (typeof input === "string") return [input];
  return isOneInput(input) ? [input] : input;
}

function isOneInput(input: string[] | number[] | number[][]): input is number[] {
  return typeof input[0] === "number";
}

/** Returns the features of a request. Equal inputs form no conversation. */
export function embeddingFeatures(request: EmbeddingRequest): RequestFeatures {
  return atOnce(embeddingFeatureSteps(request));
}

/** Computes the features in steps, for requests that may be long. */
export function* embeddingFeatureSteps(request: EmbeddingRequest): Steps<RequestFeatures> {
  const inputs = inputsOf(request.input);
  const all = { bytes: 0, chars: 0, dense: 0 };
  let countedTokens = 0;
  let longest = 0;
  for (const [at, input] of inputs.entries()) {
    if (at > 0 && at % STEP_INPUTS === 0) yield;
    if (typeof input !== "string") {
      countedTokens += input.length;
      longest = Math.max(longest, input.length);
      continue;
    }
    const one = { bytes: 0, chars: 0, dense: 0 };
    yield* measureSteps(input, one);
    all.bytes += one.bytes;
    all.chars += one.chars;
    all.dense += one.dense;
    longest = Math.max(longest, likelyMeasuredTokens(one));
  }
  const isTokens = typeof inputs[0] === "object";
  const isShortened = typeof request.dimensions === "number";
  return {
    endpoint: "embeddings",
    textBytes: all.bytes,
    textChars: all.chars,
    denseChars: all.dense,
    countedTokens,
    longestInputTokens: longest,
    framedItems: inputs.length,
    images: 0,
    needs: [...isTokens ? [TOKEN_IDS_TAG] : [], ...isShortened ? [DIMENSIONS_TAG] : []],
    needPaths: { [TOKEN_IDS_TAG]: "input", [DIMENSIONS_TAG]: "dimensions" },
    hostedTools: [],
    choices: 1,
    difficulty: 0.5,
    conversation: "",
    // All requests of embeddings are one task.
    taskText: "",
  };
}
