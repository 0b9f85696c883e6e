import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Additions } from "./additions.ts";
import { type Estimate, estimatesOf, type Evidence, loadOf } from "./estimate.ts";
import { OUTCOME_SOURCES } from "./statistics.ts";
import { addOutcomes, type Outcomes, snapshotOf } from "./statistics_fixture_test.ts";

const NONE: Evidence = { wallet: {}, task: undefined, sources: OUTCOME_SOURCES };

/** Returns the evidence for the task `t` of the wallet `w`. */
function evidenceOf(...groups: readonly Outcomes[]): Evidence {
  const wallet = snapshotOf(addOutcomes(new Additions(), ...groups)).wallets.get("w");
  assert(wallet !== undefined);
  return { ...NONE, wallet: wallet.totals, task: wallet.statistics.tasks["t"] };
}

function one(quality: number, load: number, evidence: Evidence = NONE): Estimate {
  const [estimate] = estimatesOf([{ id: "a", quality }], load, evidence);
  assert(estimate !== undefined);
  return estimate;
}

Deno.test("an estimate without outcomes is the catalog's quality at a typical request", () => {
  assertAlmostEquals(one(0.8, 1).p, 0.8, 1e-12);
  assertAlmostEquals(one(0.8, 2).p, 0.6, 1e-12);
  assertEquals([loadOf(0.25), loadOf(0.5), one(0.8, 1).outcomes], [1, 2, 0]);
});

Deno.test("an estimate is between 0 and 1, at any load and quality", () => {
  const unit = fc.double({ min: 0, max: 1, noNaN: true });
  const load = fc.double({ min: 0.2, max: 3.8, noNaN: true });
  fc.assert(fc.property(fc.array(unit, { minLength: 1, maxLength: 8 }), load, (qualities, at) => {
    const models = qualities.map((quality, index) => ({ id: `m${index}`, quality }));
    for (const { p, error } of estimatesOf(models, at, NONE)) {
      assert(p >= 0 && p <= 1 && error > 0 && Number.isFinite(error));
    }
  }));
});

Deno.test("a higher load widens the differences between models and never reverses them", () => {
  const models = [{ id: "a", quality: 0.9 }, { id: "b", quality: 0.6 }, { id: "c", quality: 0.2 }];
  const gaps = [0.2, 0.5, 1, 2, 3.8].map((load) => {
    const [a, b, c] = estimatesOf(models, load, NONE).map(({ p }) => p);
    assert(a !== undefined && b !== undefined && c !== undefined && a > b && b > c);
    return a - b;
  });
  assertEquals(gaps, gaps.toSorted((x, y) => x - y));
});

Deno.test("outcomes of a task move its estimate towards their mean, and lower the error", () => {
  const few = one(0.5, 1, evidenceOf({ model: "a", count: 10, score: 1 }));
  const many = one(0.5, 1, evidenceOf({ model: "a", count: 200, score: 1 }));
  assert(few.p > 0.5 && many.p > few.p && many.p < 1);
  assert(many.error < few.error && few.error < one(0.5, 1).error);
  assertEquals([few.outcomes, many.outcomes], [10, 200]);
});

Deno.test("outcomes of other tasks of the wallet are the prior of a task", () => {
  const other = one(0.5, 1, evidenceOf({ model: "a", count: 100, score: 1, task: "other" }));
  const own = one(0.5, 1, evidenceOf({ model: "a", count: 100, score: 1 }));
  assert(other.p > 0.6 && other.p < own.p);
  assertEquals(other.outcomes, 0);
});

Deno.test("hard requests that were served are not held against a model", () => {
  const additions = new Additions();
  for (let at = 0; at < 100; at++) {
    additions.noteOutcome({
      ...{ walletId: "w", task: "t", model: "a", atMs: 1, source: "feedback", weight: 1 },
      // Half of the answers are bad, at twice the typical difficulty.
      ...{ score: at % 2, load: 2 },
    });
  }
  const wallet = snapshotOf(additions).wallets.get("w");
  const evidence = { ...NONE, wallet: wallet?.totals ?? {}, task: wallet?.statistics.tasks["t"] };
  assertAlmostEquals(one(0.75, 1, evidence).p, 0.75, 1e-9);
});

Deno.test("a source that is switched off does not count", () => {
  const evidence = evidenceOf({ model: "a", count: 100, score: 0, source: "implicit" });
  assert(one(0.8, 1, evidence).p < 0.7);
  assertAlmostEquals(one(0.8, 1, { ...evidence, sources: ["feedback", "audit"] }).p, 0.8, 1e-12);
});
