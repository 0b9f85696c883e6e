import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InvariantError } from "../invariant.ts";
import {
  affordableOutputTokens,
  chargeOf,
  freezePrice,
  outputTokensFor,
  type Price,
  type Usage,
} from "./pricing.ts";

const LIST: Price = { inputPerMTok: "0.25", outputPerMTok: "2.00", currency: "USD" };

function freeze(price: Partial<Price> = {}, rate = "1000") {
  const frozen = freezePrice({ ...LIST, ...price }, rate, { version: 7 });
  assert(frozen !== undefined);
  return frozen;
}

Deno.test("a price that is not a decimal is refused", () => {
  const rows: [Partial<Price>, string][] = [
    [{ inputPerMTok: "free" }, "1"],
    [{ cachedInputPerMTok: "-1" }, "1"],
    [{ cacheWriteInputPerMTok: "1,5" }, "1"],
    [{ outputPerMTok: "1e3" }, "1"],
    [{ perImage: "0.0000000001" }, "1"],
    [{}, "0.0000001"],
  ];
  for (const [price, rate] of rows) {
    assertEquals(freezePrice({ ...LIST, ...price }, rate, { version: 1 }), undefined);
  }
});

Deno.test("A charge is exact and rounded once, up", () => {
  const usage = { inputTokens: 3, cachedInputTokens: 1, outputTokens: 5 };
  assertEquals(chargeOf(usage, freeze()), 3n * 250n + 5n * 2_000n);
  assertEquals(chargeOf(usage, freeze({ cachedInputPerMTok: "0" })), 2n * 250n + 10_000n);
  const tiny = freeze({ inputPerMTok: "0.000000001", outputPerMTok: "0" }, "0.000001");
  assertEquals(chargeOf({ inputTokens: 1, cachedInputTokens: 0, outputTokens: 9 }, tiny), 1n);
  assertEquals(chargeOf({ inputTokens: 0, cachedInputTokens: 0, outputTokens: 9 }, tiny), 0n);
  assertEquals(freeze().version, 7);
});

Deno.test("writing into the cache has its own price, by default that of input", () => {
  const usage = {
    inputTokens: 10,
    cachedInputTokens: 4,
    cacheWriteInputTokens: 5,
    outputTokens: 0,
  };
  assertEquals(chargeOf(usage, freeze()), 10n * 250n);
  const dearer = freeze({ cachedInputPerMTok: "0.025", cacheWriteInputPerMTok: "0.3125" });
  // Five tokens at 312.5 micro-credits: rounded once, up.
  assertEquals(chargeOf(usage, dearer), 250n + 4n * 25n + 1_563n);
});

Deno.test("Tokens read, written and fresh are charged as if each were a call, but for rounding", () => {
  const decimals = fc.nat(5_000_000).map((n) => `${Math.floor(n / 1000)}.${n % 1000}`);
  const inputs = fc.record({
    read: decimals,
    written: decimals,
    counts: fc.tuple(fc.nat(100_000), fc.nat(100_000), fc.nat(100_000)),
  });
  fc.assert(fc.property(inputs, ({ read, written, counts: [fresh, reads, writes] }) => {
    const price = freeze({ cachedInputPerMTok: read, cacheWriteInputPerMTok: written });
    const of = (more: Partial<Usage>) =>
      chargeOf({ inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, ...more }, price);
    const whole = of({
      inputTokens: fresh + reads + writes,
      cachedInputTokens: reads,
      cacheWriteInputTokens: writes,
    });
    const parts = of({ inputTokens: fresh }) +
      of({ inputTokens: reads, cachedInputTokens: reads }) +
      of({ inputTokens: writes, cacheWriteInputTokens: writes });
    assert(whole <= parts && parts - whole <= 2n);
  }));
});

Deno.test("An image costs its price", () => {
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, images: 3 };
  assertEquals(chargeOf(usage, freeze({ perImage: "0.04" })), 120_000_000n);
});

Deno.test("More cached input than input is a bug", () => {
  const usage = { inputTokens: 1, cachedInputTokens: 2, outputTokens: 0 };
  assertThrows(() => chargeOf(usage, freeze()), InvariantError);
  const both = { inputTokens: 3, cachedInputTokens: 2, cacheWriteInputTokens: 2, outputTokens: 0 };
  assertThrows(() => chargeOf(both, freeze()), InvariantError);
});

Deno.test("Affordable output is the most that the amount pays for", () => {
  const decimals = fc.nat(5_000_000).map((n) => `${Math.floor(n / 1000)}.${n % 1000}`);
  const inputs = fc.record({
    input: decimals,
    cached: decimals,
    written: decimals,
    output: decimals,
    tokens: fc.nat(100_000),
    amount: fc.bigInt(0n, 10n ** 12n),
  });
  fc.assert(fc.property(inputs, ({ input, cached, written, output, tokens, amount }) => {
    const price = freeze({
      inputPerMTok: input,
      cachedInputPerMTok: cached,
      cacheWriteInputPerMTok: written,
      outputPerMTok: output,
    });
    const outputTokens = affordableOutputTokens(amount, { inputTokens: tokens }, price);
    if (outputTokens === undefined) return assertEquals(price.output, 0n);
    const charges = (more: number) =>
      [{}, { cachedInputTokens: tokens }, { cacheWriteInputTokens: tokens }].map((kind) =>
        chargeOf({
          inputTokens: tokens,
          cachedInputTokens: 0,
          outputTokens: outputTokens + more,
          ...kind,
        }, price)
      );
    if (outputTokens > 0) assert(charges(0).every((charge) => charge <= amount));
    assert(charges(1).some((charge) => charge > amount));
  }));
});

Deno.test("Affordable output has no bound where output is free, and stays a safe integer", () => {
  const input = { inputTokens: 1 };
  assertEquals(affordableOutputTokens(1n, input, freeze({ outputPerMTok: "0" })), undefined);
  const cheap = freeze({ outputPerMTok: "0.000000001" }, "0.000001");
  assertEquals(affordableOutputTokens(10n ** 30n, input, cheap), Number.MAX_SAFE_INTEGER);
  assertEquals(affordableOutputTokens(0n, input, freeze()), 0);
});

Deno.test("as many output tokens as an amount is for cost that amount, and hardly more", () => {
  fc.assert(fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.nat(), (amount, perMTok) => {
    const price = freeze({ outputPerMTok: `0.${perMTok % 1_000}1` });
    const outputTokens = outputTokensFor(amount, price) ?? NaN;
    const charge = (tokens: number) =>
      chargeOf({ inputTokens: 0, cachedInputTokens: 0, outputTokens: tokens }, price);
    assert(charge(outputTokens) >= amount);
    if (outputTokens > 1) assert(charge(outputTokens - 2) <= amount);
  }));
  assertEquals(outputTokensFor(1n, freeze({ outputPerMTok: "0" })), undefined);
});
