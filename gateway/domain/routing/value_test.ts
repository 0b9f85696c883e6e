import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { DEFAULT_SCORING, expectedOutputTokens, rank, scoreOf, STICKY_MARGIN } from "./score.ts";

const MIDDLE = { quality: 0.5, difficulty: 0.5, cost: 10, dearestCost: 100, latencyMs: 500 };
const share = fc.double({ min: 0, max: 1, noNaN: true });

Deno.test("scoreOf() is between 0 and 1, whatever it is made of", () => {
  const weight = fc.double({ min: 0, max: 9, noNaN: true });
  const weights = fc.record({ quality: weight, price: weight, latency: weight });
  const input = fc.record({
    quality: share,
    difficulty: share,
    cost: fc.nat(),
    dearestCost: fc.nat(),
    latencyMs: fc.option(fc.nat(), { nil: undefined }),
  });
  fc.assert(fc.property(input, weights, (scoreInput, by) => {
    const score = scoreOf(scoreInput, by);
    assert(score >= 0 && score <= 1, `${score}`);
  }));
});

Deno.test("scoreOf() grows with quality and falls with cost and latency", () => {
  const score = (changes: Partial<typeof MIDDLE>) =>
    scoreOf({ ...MIDDLE, ...changes }, DEFAULT_SCORING);
  assert(score({ quality: 0.6 }) > score({}));
  assert(score({ cost: 9 }) > score({}));
  assert(score({ latencyMs: 400 }) > score({}));
  assertEquals(score({ cost: 0, dearestCost: 0 }), score({ cost: 0 }));
});

Deno.test("scoreOf() values more quality little where the prompt is easy", () => {
  const gain = (difficulty: number) =>
    scoreOf({ ...MIDDLE, difficulty, quality: 0.9 }, DEFAULT_SCORING) -
    scoreOf({ ...MIDDLE, difficulty, quality: 0.6 }, DEFAULT_SCORING);
  assert(gain(0) < 0.02);
  assert(gain(0.8) > 0.3);
});

Deno.test("scoreOf() takes an unobserved latency for a second", () => {
  const { latencyMs: _, ...unobserved } = MIDDLE;
  assertEquals(
    scoreOf(unobserved, DEFAULT_SCORING),
    scoreOf({ ...MIDDLE, latencyMs: 1_000 }, DEFAULT_SCORING),
  );
});

Deno.test("scoreOf() without any weight is 0", () => {
  assertEquals(scoreOf(MIDDLE, { quality: 0, price: 0, latency: 0 }), 0);
});

const named = (score: number, ids: string) => [...ids].map((id) => ({ id, score }));
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).join("");

Deno.test("rank() orders by score, then lets the seed choose who of equals begins", () => {
  const items = [...named(0.2, "x"), ...named(0.5, "cab"), ...named(0.9, "z")];
  const order = (seed: number) => idsOf(rank(items, { seed }));
  assertEquals([order(0), order(0.34), order(0.99)], ["zabcx", "zbcax", "zcabx"]);
  assertEquals(rank([], { seed: 0.5 }), []);
});

Deno.test("rank() puts the sticky one first within the margin only", () => {
  const near = 0.9 - STICKY_MARGIN / 2;
  const items = [...named(0.9, "a"), ...named(0.89, "b"), ...named(near, "c"), ...named(0.5, "d")];
  const order = (sticky: string) => idsOf(rank(items, { seed: 0, sticky }));
  assertEquals([order("a"), order("c"), order("d"), order("?")], ["abcd", "cabd", "abcd", "abcd"]);
});

Deno.test("rank() keeps every item once and does not depend on their order", () => {
  const scores = fc.uniqueArray(fc.nat(30), { maxLength: 8 });
  fc.assert(fc.property(scores, share, (ids, seed) => {
    const items = ids.map((id) => ({ id: `${id}`, score: id % 3 }));
    const options = { seed: seed * 0.999, sticky: "3" };
    const ranked = rank(items, options);
    assertEquals(ranked.map(({ id }) => id).sort(), items.map(({ id }) => id).sort());
    assertEquals(ranked, rank(items.toReversed(), options));
  }));
});

Deno.test("expectedOutputTokens() grows with difficulty", () => {
  assertEquals([expectedOutputTokens(0), expectedOutputTokens(1)], [300, 1_500]);
});
