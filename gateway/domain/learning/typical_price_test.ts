import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import type { RouteSample, TaskStatistics } from "./statistics.ts";
import { priceRatio, typicalPriceOf } from "./typical_price.ts";

function sample(price: number, spent?: number): RouteSample {
  return { task: "t", load: 1, price, spent, options: [["a", 0.1], ["b", 1]] };
}

function task(served: number, bestCharged: number, outcomes: number): TaskStatistics {
  const models = { a: { served, charged: 0, outcomes, sums: {} } };
  return { lastUsedMs: 0, models, bestCharged, cheapestCharged: 0 };
}

Deno.test("without samples there is no typical price", () => {
  assertEquals(typicalPriceOf([], {}), undefined);
});

Deno.test("prices that turn out as expected have a growth of 1", () => {
  const samples = Array.from({ length: 200 }, (_, at) => sample(1 + at % 10));
  const typical = typicalPriceOf(samples, {});
  assertAlmostEquals(typical?.mean ?? 0, 5.5);
  assertAlmostEquals(typical?.growth ?? 0, 1);
});

Deno.test("growth follows real prices: above 1 where they grow faster, 0 where they do not", () => {
  const prices = Array.from({ length: 200 }, (_, at) => 1 + at % 10);
  const square = typicalPriceOf(prices.map((price) => sample(price, price ** 2)), {});
  assert((square?.growth ?? 0) > 1.4, `${square?.growth}`);
  const flat = typicalPriceOf(prices.map((price) => sample(price, 3)), {});
  assert((flat?.growth ?? 1) < 0.05, `${flat?.growth}`);
  const falling = typicalPriceOf(prices.map((price) => sample(price, 20 - price)), {});
  assertEquals(falling?.growth, 0);
});

Deno.test("a task's price counts in proportion to its outcomes", () => {
  const tasks = { dear: task(1_000, 3_000, 0), cheap: task(1_000, 1_000, 0) };
  const typical = typicalPriceOf([sample(1)], tasks);
  assertAlmostEquals(typical?.charged ?? 0, 2);
  assertEquals(priceRatio(tasks.dear, typical), 1);
  const some = priceRatio(task(1_000, 3_000, 100), typical);
  const many = priceRatio(task(1_000, 3_000, 10_000), typical);
  assertAlmostEquals(some, Math.sqrt(1.5), 0.01);
  assertAlmostEquals(many, 1.5, 0.02);
  assertEquals(priceRatio(undefined, typical), 1);
  assertEquals(priceRatio(task(10, 10, 10), undefined), 1);
});
