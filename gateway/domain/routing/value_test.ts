import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  expectedOutputTokens,
  isGoodEnough,
  rank,
  sizeFactor,
  stickyMargin,
  valueOf,
} from "./value.ts";

const share = fc.double({ min: 0, max: 1, noNaN: true });
const rate = fc.double({ min: 0, max: 100, noNaN: true });
const MIDDLE = { p: 0.8, share: 0.3, latencyMs: 500 };
const BALANCED = { dial: 0.5, rate: 0.2 };

Deno.test("valueOf() is p less the price at the rate, less a small latency", () => {
  // 1000 / (1000 + 2000) of 0.005, halved at the middle of the dial.
  assertAlmostEquals(valueOf({ p: 0.8, share: 0.3 }, BALANCED), 0.8 - 0.06 - 0.005 / 6, 1e-12);
  assertAlmostEquals(valueOf(MIDDLE, BALANCED), 0.8 - 0.06 - 0.0005, 1e-12);
});

Deno.test("valueOf() grows with p, and falls with price and latency", () => {
  const value = (changes: Partial<typeof MIDDLE>) => valueOf({ ...MIDDLE, ...changes }, BALANCED);
  assert(value({ p: 0.81 }) > value({}));
  assert(value({ share: 0.29 }) > value({}));
  assert(value({ latencyMs: 400 }) > value({}));
});

Deno.test("valueOf() is linear in price", () => {
  fc.assert(fc.property(share, share, share, rate, (p, low, high, at) => {
    const value = (price: number) => valueOf({ p, share: price }, { dial: 0.5, rate: at });
    assertAlmostEquals(value((low + high) / 2), (value(low) + value(high)) / 2, 1e-9);
  }));
});

Deno.test("valueOf() at best does not depend on price or latency", () => {
  fc.assert(fc.property(share, rate, fc.nat(), (p, price, latencyMs) => {
    assertEquals(valueOf({ p, share: price, latencyMs }, { dial: 1, rate: 0 }), p);
  }));
});

Deno.test("valueOf() at economy is the price, and p decides among equal prices", () => {
  const at = { dial: 0, rate: Infinity };
  assert(valueOf({ p: 0.1, share: 0.1 }, at) > valueOf({ p: 1, share: 0.2 }, at));
  assert(valueOf({ p: 0.6, share: 0.1 }, at) > valueOf({ p: 0.5, share: 0.1 }, at));
});

Deno.test("isGoodEnough() judges by a record of ten outcomes only", () => {
  const bestP = 0.8;
  const estimate = (p: number, outcomes: number) => ({ p, outcomes, error: 0.1 });
  assertEquals(isGoodEnough(estimate(0.1, 9), bestP), true);
  assertEquals(isGoodEnough(estimate(0.59, 10), bestP), false);
  assertEquals(isGoodEnough(estimate(0.61, 10), bestP), true);
});

const typical = (mean: number, growth = 1) => ({ mean, charged: mean, growth });

Deno.test("sizeFactor() is the root of the price beside the typical one, 1/4 to 4", () => {
  const factor = (price: number, mean: number) => sizeFactor(price, typical(mean));
  assertEquals([factor(4, 1), factor(1, 4), factor(2, 2)], [2, 0.5, 1]);
  assertEquals([factor(1e9, 1), factor(1e-9, 1)], [4, 0.25]);
  assertEquals([sizeFactor(1, undefined), factor(1, 0), factor(0, 1)], [1, 1, 1]);
});

Deno.test("sizeFactor() counts as much of the size as real prices follow, and the task's ratio", () => {
  assertEquals([sizeFactor(9, typical(1, 0)), sizeFactor(9, typical(1, 1))], [1, 3]);
  assertEquals([sizeFactor(4, typical(1), 0.5), sizeFactor(4, typical(1), 9)], [1, 4]);
});

const named = (score: number, ids: string) => [...ids].map((id) => ({ id, score }));
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).join("");

Deno.test("rank() orders by value, and the seed selects the first among equals", () => {
  const items = [...named(0.2, "x"), ...named(0.5, "cab"), ...named(0.9, "z")];
  const order = (seed: number) => idsOf(rank(items, { seed, margin: 0 }));
  assertEquals([order(0), order(0.34), order(0.99)], ["zabcx", "zbcax", "zcabx"]);
  assertEquals(rank([], { seed: 0.5, margin: 0 }), []);
});

Deno.test("rank() puts the sticky model first only within the margin", () => {
  const margin = 0.1;
  const items = [...named(0.9, "a"), ...named(0.89, "b"), ...named(0.85, "c"), ...named(0.5, "d")];
  const order = (sticky: string) => idsOf(rank(items, { seed: 0, sticky, margin }));
  assertEquals([order("a"), order("c"), order("d"), order("?")], ["abcd", "cabd", "abcd", "abcd"]);
});

Deno.test("rank() returns every item once and does not depend on their order", () => {
  const scores = fc.uniqueArray(fc.nat(30), { maxLength: 8 });
  fc.assert(fc.property(scores, share, share, (ids, seed, margin) => {
    const items = ids.map((id) => ({ id: `${id}`, score: id % 3 }));
    const options = { seed: seed * 0.999, sticky: "3", margin };
    const ranked = rank(items, options);
    assertEquals(ranked.map(({ id }) => id).sort(), items.map(({ id }) => id).sort());
    assertEquals(ranked, rank(items.toReversed(), options));
  }));
});

Deno.test("stickyMargin() shrinks to none at best", () => {
  assertEquals([stickyMargin(0), stickyMargin(0.5), stickyMargin(1)], [0.05, 0.025, 0]);
});

Deno.test("expectedOutputTokens() grows with difficulty", () => {
  assertEquals([expectedOutputTokens(0), expectedOutputTokens(1)], [300, 1_500]);
});
