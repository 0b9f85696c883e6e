import { assertEquals } from "@std/assert";
import { bestKnownOf, type Comparable } from "./best_known.ts";

const SMALL = { id: "small", quality: 0.6, price: 1, p: 0.6, error: 0.04, outcomes: 0 };
const LARGE = { id: "large", quality: 0.9, price: 10, p: 0.9, error: 0.03, outcomes: 0 };
const HUGE = { id: "huge", quality: 0.88, price: 60, p: 0.88, error: 0.03, outcomes: 0 };

function bestId(...models: readonly (Comparable & { readonly id: string })[]): string | undefined {
  return bestKnownOf(models)?.id;
}

Deno.test("without outcomes, the best model is the one with the highest quality by the catalog", () => {
  assertEquals(bestId(SMALL, LARGE, HUGE), "large");
  assertEquals(bestId(), undefined);
});

Deno.test("of models with equal quality, the cheapest is the measure", () => {
  assertEquals(bestId({ ...HUGE, quality: 0.9 }, LARGE), "large");
});

Deno.test("a model without outcomes is no measure, however much better it is assumed to be", () => {
  const failing = { ...LARGE, p: 0.5, outcomes: 80 };
  assertEquals(bestId(SMALL, failing, HUGE), "large");
});

Deno.test("a model on record is the measure when it is better by more than the error", () => {
  const failing = { ...LARGE, p: 0.5, outcomes: 80 };
  const good = { ...SMALL, p: 0.6, outcomes: 80 };
  assertEquals(bestId(good, failing, HUGE), "small");
  assertEquals(bestId({ ...good, p: 0.54 }, failing, HUGE), "large");
  assertEquals(bestId({ ...good, outcomes: 9 }, failing, HUGE), "large");
});
