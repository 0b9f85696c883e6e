import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { apgrOf, scoreOrder } from "./apgr.ts";
import { bootstrapDraws, intervalOf, orderOf, randomOf, splitOf } from "./random.ts";
import { mixOfQuality, mixOfShare } from "./sweep.ts";
import { syntheticSet } from "./synthetic_fixture_test.ts";
import { Baselines, mixAt, mixCostOf, Tally } from "./tally.ts";

const PAIR = { weak: [1, 1, 0, 0], strong: [1, 1, 1, 1] };

Deno.test("APGR is 0.5 for equal scores, 0.75 for the perfect order of half, 0.25 for its reverse", () => {
  assertAlmostEquals(apgrOf(scoreOrder([1, 1, 1, 1]), PAIR), 0.5);
  assertAlmostEquals(apgrOf(scoreOrder([0, 0, 1, 1]), PAIR), 0.75);
  assertAlmostEquals(apgrOf(scoreOrder([1, 1, 0, 0]), PAIR), 0.25);
});

Deno.test("APGR counts a question as often as its draw", () => {
  const repeated = { weak: [1, 0, 0], strong: [1, 1, 1] };
  assertAlmostEquals(
    apgrOf(scoreOrder([2, 1]), { weak: [1, 0], strong: [1, 1] }, [1, 2]),
    apgrOf(scoreOrder([2, 1, 1]), repeated),
  );
});

Deno.test("a split has every question once, and equal seeds give equal splits", () => {
  const { training, test } = splitOf(9, 3);
  assertEquals([...training, ...test].sort((a, b) => a - b), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
  assertEquals(training.length, 4);
  assertEquals(splitOf(9, 3), splitOf(9, 3));
  assert(orderOf(50, 1).join() !== orderOf(50, 2).join());
});

Deno.test("random numbers are uniform and use more than 32 bits", () => {
  const random = randomOf(1);
  const numbers = Array.from({ length: 4_000 }, random);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  assertAlmostEquals(mean, 0.5, 0.02);
  assert(numbers.some((number) => number * 2 ** 32 % 1 > 0));
});

Deno.test("a bootstrap draw has as many questions as the set", () => {
  for (const times of bootstrapDraws(13).slice(0, 5)) {
    assertEquals(times.reduce((sum, count) => sum + count, 0), 13);
  }
});

Deno.test("an interval holds the middle 95 % of the draws", () => {
  const interval = intervalOf(50, Array.from({ length: 101 }, (_, at) => at));
  assertEquals([interval.low, interval.high], [3, 98]);
  assertAlmostEquals(interval.error, 29.3, 0.1);
});

Deno.test("the best random mix is the upper hull of the single models", () => {
  const models = [{ cost: 1, quality: 0.5 }, { cost: 5, quality: 0.5 }, { cost: 11, quality: 1 }];
  assertAlmostEquals(mixAt(6, models), 0.75);
  assertAlmostEquals(mixAt(0.5, models), 0.5);
  assertAlmostEquals(mixAt(20, models), 1);
  assertAlmostEquals(mixCostOf(0.75, models), 6);
  assertAlmostEquals(mixCostOf(1, models), 11);
});

Deno.test("figures compare with the best model, the mix and the oracle", () => {
  const set = syntheticSet(8);
  const baselines = new Baselines(set, bootstrapDraws(8));
  const tally = new Tally(8);
  for (const [at, { y, c }] of set.questions.entries()) {
    baselines.add(at, 3);
    tally.add(at, { quality: y[0] ?? 0, cost: c[0] ?? 0 });
  }
  const { quality, share, loss, gain } = baselines.figures(tally);
  assertAlmostEquals(quality.value, 0.5);
  assertAlmostEquals(share.value, 0.02);
  assertAlmostEquals(loss.value, -0.5);
  assertAlmostEquals(gain.value, 0);
  assert(quality.low < 0.5 && quality.high > 0.5);
  const oracle = baselines.oracle.mean(undefined);
  assertEquals(oracle, { quality: 1, cost: 25.5 });
});

Deno.test("mixes of dials meet a share of cost and a quality on the training half", () => {
  const curve = [
    { share: 0.1, quality: 0.5 },
    { share: 0.3, quality: 0.7 },
    { share: 1, quality: 0.8 },
  ];
  const [lower, upper] = mixOfShare(curve, 0.2);
  assertEquals([lower?.[0], upper?.[0]], [0, 1]);
  assertAlmostEquals(lower?.[1] ?? 0, 0.5);
  assertEquals(mixOfShare(curve, 0.05), [[0, 1]]);
  assertEquals(mixOfShare(curve, 1), [[2, 1]]);
  const [from, to] = mixOfQuality(curve, 0.6);
  assertEquals([from?.[0], to?.[0]], [0, 1]);
  assertAlmostEquals(to?.[1] ?? 0, 0.5);
  assertEquals(mixOfQuality(curve, 0.9), [[2, 1]]);
});
