import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { chargeOf, freezePrice } from "../ledger/pricing.ts";
import { holdFor } from "./funds.ts";

Deno.test("A hold covers its input, whatever of it is cached or of images", () => {
  const dollars = fc.nat(50).map(String);
  const cases = fc.record({
    input: dollars,
    cached: dollars,
    written: dollars,
    image: dollars,
    text: fc.nat(10_000),
    images: fc.nat(10_000),
    isWritten: fc.boolean(),
    cachedText: fc.double({ min: 0, max: 1, noNaN: true }),
    cachedImages: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(fc.property(cases, (row) => {
    const price = freezePrice(
      {
        inputPerMTok: row.input,
        cachedInputPerMTok: row.cached,
        cacheWriteInputPerMTok: row.written,
        imageInputPerMTok: row.image,
        outputPerMTok: "40",
        currency: "USD",
      },
      "1000",
      { version: 1 },
    );
    assert(price !== undefined);
    const shape = {
      inputTokens: row.text + row.images,
      imageInputTokens: row.images,
      mediaInputTokens: row.images,
      outputTokens: 100,
      leastOutputTokens: 100,
      choices: 2,
      images: 2,
    };
    const funds = { now: 10n ** 15n, later: 10n ** 15n, cap: undefined, budget: undefined };
    const hold = holdFor(shape, price, funds);
    assertEquals(hold.affordability, 0);
    const cachedImages = Math.floor(row.cachedImages * row.images);
    const cached = Math.floor(row.cachedText * row.text) + cachedImages;
    const cost = chargeOf({
      inputTokens: shape.inputTokens,
      ...(row.isWritten
        ? { cachedInputTokens: 0, cacheWriteInputTokens: cached }
        : { cachedInputTokens: cached }),
      imageInputTokens: row.images - cachedImages,
      outputTokens: 200,
      images: 2,
    }, price);
    assert("amount" in hold && cost <= hold.amount, `${cost} > hold`);
  }));
});
