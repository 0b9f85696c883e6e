import { assert, assertAlmostEquals } from "@std/assert";
import { estimatesOf, type Evidence } from "./estimate.ts";
import type { ModelStatistics } from "./statistics.ts";

const MODELS = [{ id: "a", quality: 0.7 }, { id: "b", quality: 0.8 }, { id: "c", quality: 0.9 }];

function record(count: number, bad: number): ModelStatistics {
  const sums = { audit: { weight: count, bad, load: count } };
  return { served: count, charged: 0, outcomes: count, sums };
}

function evidence(models: Readonly<Record<string, ModelStatistics>>): Evidence {
  const task = { lastUsedMs: 0, models, bestCharged: 0, cheapestCharged: 0 };
  return { wallet: models, task, sources: ["audit"] };
}

function probabilities(models: Readonly<Record<string, ModelStatistics>>): number[] {
  return estimatesOf(MODELS, 1, evidence(models)).map(({ p }) => p);
}

Deno.test("without records the catalog's qualities are the probabilities", () => {
  for (const [at, p] of probabilities({}).entries()) {
    assertAlmostEquals(p, MODELS[at]?.quality ?? 0);
  }
});

Deno.test("where models on record fail more often than expected, the others are expected to as well", () => {
  const [, , before = 0] = probabilities({});
  const [, , hard = 0] = probabilities({ a: record(200, 140), b: record(200, 120) });
  const [, , easy = 0] = probabilities({ a: record(200, 10), b: record(200, 8) });
  assert(hard < before - 0.1, `${hard}`);
  assert(easy > before + 0.02, `${easy}`);
});

Deno.test("models with equal records are judged by their own alone", () => {
  const models = [{ id: "a", quality: 0.7 }, { id: "b", quality: 0.7 }];
  const p = (other: number) =>
    estimatesOf(models, 1, evidence({ a: record(100, 30), b: record(100, other) }))[0]?.p;
  assertAlmostEquals(p(5) ?? 0, p(60) ?? 1);
});

Deno.test("a model with a long record keeps it beside others that fail", () => {
  const [p = 0] = probabilities({ a: record(400, 20), b: record(20, 20) });
  assertAlmostEquals(p, 0.93, 0.03);
});
