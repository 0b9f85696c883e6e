import { assert, assertEquals } from "@std/assert";
import type { ImageGenerationRequest } from "@svc/sdk/protocol";
import { imageFeatures, imageUsage } from "./image_features.ts";
import { chargeOf, freezePrice, type Price } from "../ledger/pricing.ts";
import { settlementOf } from "../ledger/settlement.ts";

const USD = "USD" as const;

function freeze(price: Partial<Price>) {
  const list = { inputPerMTok: "0", outputPerMTok: "0", currency: USD, ...price };
  const frozen = freezePrice(list, "1000", { version: 3 });
  assert(frozen !== undefined);
  return frozen;
}

Deno.test("imageFeatures() counts images asked for and images given", () => {
  const base = { model: "auto" as const, prompt: "A red fox" };
  const rows: [ImageGenerationRequest, number, number][] = [
    [{ ...base }, 1, 0],
    [{ ...base, n: null }, 1, 0],
    [{ ...base, n: 4 }, 4, 0],
    [{ ...base, image: "https://a.example/1.png" }, 1, 1],
    [{ ...base, image: ["a", "b"], mask: "c", n: 2 }, 2, 3],
    [{ ...base, image: "a", mask: null }, 1, 1],
  ];
  for (const [request, choices, images] of rows) {
    const features = imageFeatures("images.edits", request);
    assertEquals([features.choices, features.images], [choices, images]);
    assertEquals([features.endpoint, features.textChars], ["images.edits", 9]);
  }
});

Deno.test("imageFeatures() takes a long prompt for harder than a short one, within bounds", () => {
  const difficulty = (chars: number) =>
    imageFeatures("images.generations", { model: "auto", prompt: "x".repeat(chars) }).difficulty;
  assert(difficulty(1) < difficulty(500));
  assertEquals(difficulty(1_000), difficulty(30_000));
  assert(difficulty(30_000) <= 1);
});

Deno.test("imageUsage() charges by what is priced and reported", () => {
  const model = { maxOutputTokens: 4_000 };
  const perImage = freeze({ perImage: "0.04" });
  const perToken = freeze({ inputPerMTok: "5", imageInputPerMTok: "10", outputPerMTok: "40" });
  const reported = {
    inputTokens: 300,
    cachedInputTokens: 0,
    imageInputTokens: 200,
    outputTokens: 1_000,
  };
  const end = (delivery: Parameters<typeof imageUsage>[0], price = perImage) =>
    settlementOf(
      {
        ending: "finished",
        ...imageUsage(delivery, { price, model, inputTokens: 50, imageInputTokens: 0 }),
      },
      price,
    );
  // Priced per image: the count is exact, also without a report.
  assertEquals(end({ images: 3 }).cost, 120_000_000n);
  assertEquals(end({ images: 3 }).estimated, false);
  assertEquals(end({ images: 2, reported }).cost, 80_000_000n);
  // Priced per token: text at 5, images at 10, output at 40 dollars per million.
  assertEquals(end({ images: 1, reported }, perToken).cost, 500_000n + 2_000_000n + 40_000_000n);
  const estimate = end({ images: 2 }, perToken);
  assertEquals(estimate.estimated, true);
  assertEquals(estimate.cost, 50n * 5_000n + 2n * 1_056n * 40_000n);
  assertEquals(
    imageUsage({ images: 2 }, {
      price: perToken,
      model: { maxOutputTokens: 500 },
      inputTokens: 50,
      imageInputTokens: 20,
    }),
    { usage: undefined, counted: { input: 50, imageInput: 20, output: 1_000, images: 2 } },
  );
  // A price per image is complete; its tokens are not estimated in addition.
  const both = freeze({ inputPerMTok: "5", outputPerMTok: "40", perImage: "0.04" });
  assertEquals(end({ images: 2 }, both).cost, 50n * 5_000n + 80_000_000n);
  assertEquals(end({ images: 2 }, both).estimated, true);
});

Deno.test("Image input has a price of its own, else that of text", () => {
  const usage = { inputTokens: 100, cachedInputTokens: 0, imageInputTokens: 60, outputTokens: 0 };
  assertEquals(chargeOf(usage, freeze({ inputPerMTok: "1" })), 100n * 1_000n);
  const priced = freeze({ inputPerMTok: "1", imageInputPerMTok: "2" });
  assertEquals(chargeOf(usage, priced), 40n * 1_000n + 60n * 2_000n);
  // More image tokens than uncached input are limited to that input.
  const cached = { ...usage, cachedInputTokens: 90 };
  assertEquals(chargeOf(cached, priced), 90n * 1_000n + 10n * 2_000n);
});
