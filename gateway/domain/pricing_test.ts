import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InvariantError } from "./invariant.ts";
import { affordableOutputTokens, chargeOf, freezePrice, type Price } from "./pricing.ts";

const LIST: Price = { inputPerMTok: "0.25", outputPerMTok: "2.00", currency: "USD" };

function freeze(price: Partial<Price> = {}, rate = "1000") {
  const frozen = freezePrice({ ...LIST, ...price }, rate, { version: 7 });
  assert(frozen !== undefined);
  return frozen;
}

Deno.test("A price that is no decimal is refused", () => {
  const rows: [Partial<Price>, string][] = [
    [{ inputPerMTok: "free" }, "1"],
    [{ cachedInputPerMTok: "-1" }, "1"],
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

Deno.test("An image costs its price", () => {
  const usage = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, images: 3 };
  assertEquals(chargeOf(usage, freeze({ perImage: "0.04" })), 120_000_000n);
});

Deno.test("More cached input than input is a bug", () => {
  const usage = { inputTokens: 1, cachedInputTokens: 2, outputTokens: 0 };
  assertThrows(() => chargeOf(usage, freeze()), InvariantError);
});

Deno.test("Affordable output is the most that the amount pays for", () => {
  const decimals = fc.nat(5_000_000).map((n) => `${Math.floor(n / 1000)}.${n % 1000}`);
  const inputs = fc.record({
    input: decimals,
    cached: decimals,
    output: decimals,
    tokens: fc.nat(100_000),
    amount: fc.bigInt(0n, 10n ** 12n),
  });
  fc.assert(fc.property(inputs, ({ input, cached, output, tokens, amount }) => {
    const price = freeze({
      inputPerMTok: input,
      cachedInputPerMTok: cached,
      outputPerMTok: output,
    });
    const outputTokens = affordableOutputTokens(amount, { inputTokens: tokens }, price);
    if (outputTokens === undefined) return assertEquals(price.output, 0n);
    const worst = price.cachedInput > price.input ? tokens : 0;
    const usage = { inputTokens: tokens, cachedInputTokens: worst, outputTokens };
    if (outputTokens > 0) assert(chargeOf(usage, price) <= amount);
    assert(chargeOf({ ...usage, outputTokens: outputTokens + 1 }, price) > amount);
  }));
});

Deno.test("Affordable output has no bound where output is free, and stays a safe integer", () => {
  const input = { inputTokens: 1 };
  assertEquals(affordableOutputTokens(1n, input, freeze({ outputPerMTok: "0" })), undefined);
  const cheap = freeze({ outputPerMTok: "0.000000001" }, "0.000001");
  assertEquals(affordableOutputTokens(10n ** 30n, input, cheap), Number.MAX_SAFE_INTEGER);
  assertEquals(affordableOutputTokens(0n, input, freeze()), 0);
});
