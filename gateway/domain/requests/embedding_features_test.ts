import { assert, assertEquals } from "@std/assert";
import type { EmbeddingInput } from "@svc/sdk/protocol";
import { embeddingFeatures, inputsOf } from "./embedding_features.ts";
import { estimateInputTokens, likelyInputTokens, modelFamily } from "./token_estimate.ts";

function features(input: EmbeddingInput, more: { readonly dimensions?: number | null } = {}) {
  return embeddingFeatures({ model: "auto", input, ...more });
}

Deno.test("inputsOf() tells the ids of one text from those of several", () => {
  const rows: readonly (readonly [EmbeddingInput, number])[] = [
    ["one", 1],
    [["one", "two"], 2],
    [[1, 2, 3], 1],
    [[[1, 2], [3]], 2],
  ];
  for (const [input, count] of rows) assertEquals(inputsOf(input).length, count);
});

Deno.test("texts are measured, and the longest decides about the context", () => {
  const { textChars, textBytes, framedItems, longestInputTokens, countedTokens, needs } = features(
    ["four", "x".repeat(400), "漢字"],
  );
  assertEquals([textChars, textBytes, framedItems, countedTokens], [406, 410, 3, 0]);
  assertEquals(longestInputTokens, 200);
  assertEquals(needs, []);
});

Deno.test("token ids count exactly, within the estimate of the hold", () => {
  const one = features([[1, 2, 3], [4]]);
  assertEquals([one.countedTokens, one.longestInputTokens, one.needs], [4, 3, ["token_ids"]]);
  assert(likelyInputTokens(one) >= 4);
  assert(estimateInputTokens(one, modelFamily("x")) >= likelyInputTokens(one));
});

Deno.test("a length is a need, and null is none", () => {
  assertEquals(features("x", { dimensions: 8 }).needs, ["dimensions"]);
  assertEquals(features("x", { dimensions: null }).needs, []);
});
