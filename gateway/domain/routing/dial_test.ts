import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  areFormerDefaults,
  dialOf,
  dialOfWeights,
  dialText,
  formerWeightsText,
  MEASURED_DIALS,
  rateOf,
  targetShare,
} from "./dial.ts";

const dial = fc.double({ min: 0, max: 1, noNaN: true });

Deno.test("dialOf() reads names and numbers from 0 to 1", () => {
  const cases = ["economy", "balanced", "best", "0.8", ".5", " 1 ", "1.0", 0, 0.25, 1] as const;
  assertEquals(cases.map(dialOf), [0, 0.5, 1, 0.8, 0.5, 1, 1, 0, 0.25, 1]);
});

Deno.test("dialOf() refuses everything else", () => {
  const cases = ["", "1.1", "-0.1", "2", "1e-1", "0x1", "NaN", "toString", "BEST", NaN, Infinity];
  for (const value of cases) assertEquals(dialOf(value), undefined, String(value));
});

Deno.test("dialText() is a name, or two places", () => {
  assertEquals([0, 0.5, 1, 0.333, 0.8].map(dialText), [
    "economy",
    "balanced",
    "best",
    "0.33",
    "0.8",
  ]);
});

Deno.test("targetShare() is 0 at economy, 0.4 at balanced, 1 at best, and linear between", () => {
  assertEquals([0, 0.25, 0.5, 1].map(targetShare), [0, 0.2, 0.4, 1]);
  assertAlmostEquals(targetShare(0.75), 0.7, 1e-12);
});

Deno.test("rateOf() is infinite at economy, zero at best, and falls between", () => {
  const rates = fc.array(fc.double({ min: 1e-4, max: 100, noNaN: true }), {
    minLength: MEASURED_DIALS.length,
    maxLength: MEASURED_DIALS.length,
  }).map((list) => list.sort((a, b) => b - a));
  const measured = fc.option(rates, { nil: undefined });
  fc.assert(fc.property(measured, dial, dial, fc.nat(100), (known, one, other, percent) => {
    const context = { spread: percent / 100, measured: known };
    assertEquals([rateOf(0, context), rateOf(1, context)], [Infinity, 0]);
    const [low, high] = [Math.min(one, other), Math.max(one, other)];
    assert(rateOf(low, context) >= rateOf(high, context) - 1e-9);
  }));
});

Deno.test("rateOf() at a measured position is the measured rate", () => {
  const measured = MEASURED_DIALS.map((position) => 1 - position);
  for (const [at, position] of MEASURED_DIALS.entries()) {
    assertAlmostEquals(rateOf(position, { spread: 9, measured }), measured[at] ?? 0, 1e-12);
  }
});

Deno.test("rateOf() without measurements grows with the spread of the qualities", () => {
  assertAlmostEquals(rateOf(0.5, { spread: 0.3 }), 0.18, 1e-12);
  assertAlmostEquals(rateOf(0.8, { spread: 0.4 }), 0.06, 1e-12);
});

Deno.test("dialOfWeights() depends on the ratio of quality to price", () => {
  const weights = (quality: number, price: number) => dialOfWeights({ quality, price, latency: 7 });
  assertEquals([weights(2, 1), weights(1, 0), weights(0, 1), weights(0, 0)], [0.5, 1, 0, 0.5]);
  assertEquals([weights(1, 1), weights(4, 1)], [0.33, 0.67]);
  fc.assert(fc.property(fc.nat(1_000), fc.nat(1_000), (quality, price) => {
    const position = weights(quality, price);
    assert(position >= 0 && position <= 1);
  }));
});

Deno.test("formerWeightsText() names the dial and the setting to write", () => {
  const text = (quality: number) =>
    formerWeightsText({ quality, price: 1, latency: 1 }, "svc.json");
  assertEquals(
    text(1),
    'The former "scoring" of svc.json now means the dial 0.33: write "auto": {"dial": 0.33} instead',
  );
  assert(text(2).endsWith('write "auto": {"dial": "balanced"} instead'));
  assertEquals(areFormerDefaults({ quality: 0.6, price: 0.3, latency: 0.1 }), true);
  assertEquals(areFormerDefaults({ quality: 0.6, price: 0.3, latency: 0.2 }), false);
});
