import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { Additions } from "./additions.ts";
import {
  addStatistics,
  AUDITS_MAX,
  HALF_LIFE_MS,
  NO_STATISTICS,
  OUTCOME_SOURCES,
  SAMPLES_MAX,
  SOURCE_WEIGHT_MAX,
  TASKS_PER_WALLET_MAX,
  type WalletStatistics,
} from "./statistics.ts";
import { addOutcomes } from "./statistics_fixture_test.ts";

function statisticsOf(additions: Additions): WalletStatistics {
  return additions.byWallet().get("w") ?? NO_STATISTICS;
}

/** Returns the sum of feedback on the model `a` at the task `t`. */
function sumOf({ tasks }: WalletStatistics) {
  return tasks["t"]?.models["a"]?.sums.feedback;
}

const outcome = fc.record({
  model: fc.constantFrom("a", "b"),
  task: fc.constantFrom("t", "u"),
  source: fc.constantFrom(...OUTCOME_SOURCES),
  score: fc.constantFrom(0, 0.25, 0.5, 1),
  count: fc.integer({ min: 1, max: 4 }),
});

Deno.test("the order in which additions are added does not matter below the bounds", () => {
  const part = fc.array(outcome, { maxLength: 3 })
    .map((list) => statisticsOf(addOutcomes(new Additions(), ...list)));
  fc.assert(fc.property(part, part, part, (one, two, three) => {
    const add = (...parts: readonly WalletStatistics[]) =>
      parts.reduce((sum, each) => addStatistics(sum, each, 0), NO_STATISTICS);
    const expected = add(one, two, three);
    assertEquals(add(three, one, two).tasks, expected.tasks);
    assertEquals(add(addStatistics(one, three, 0), two).tasks, expected.tasks);
  }));
});

Deno.test("an outcome loses half of its weight in 30 days, counts of requests do not", () => {
  const base = statisticsOf(addOutcomes(new Additions(), { model: "a", count: 8, score: 0 }));
  const later = addStatistics(base, NO_STATISTICS, HALF_LIFE_MS);
  assertEquals(sumOf(later), { weight: 4, bad: 4, load: 4 });
  assertEquals(later.tasks["t"]?.models["a"]?.outcomes, 8);
  assertEquals(sumOf(addStatistics(base, NO_STATISTICS, -HALF_LIFE_MS)), sumOf(base));
});

for (const source of OUTCOME_SOURCES) {
  Deno.test(`a flood of ${source} weighs no more than its bound`, () => {
    const flood = { model: "a", score: 0, source };
    const one = statisticsOf(addOutcomes(new Additions(), { ...flood, count: 20_000 }));
    const bounded = addStatistics(addStatistics(NO_STATISTICS, one, 0), one, 0);
    const sum = bounded.tasks["t"]?.models["a"]?.sums[source];
    const max = SOURCE_WEIGHT_MAX[source];
    assertEquals([sum?.weight, sum?.bad, sum?.load], [max, max, max]);
  });
}

Deno.test("audits outweigh any flood of votes", () => {
  const audited = { model: "a", count: 400, score: 1, source: "audit" } as const;
  const flood = { model: "a", count: 20_000, score: 0 };
  const sums = addStatistics(
    NO_STATISTICS,
    statisticsOf(addOutcomes(new Additions(), audited, flood)),
    0,
  ).tasks["t"]?.models["a"]?.sums;
  assert((sums?.audit?.weight ?? 0) >= 2 * (sums?.feedback?.weight ?? Infinity));
});

Deno.test("audits outweigh a flood of votes on the hardest requests too", () => {
  const audited = { model: "a", count: 400, score: 0, source: "audit" } as const;
  const flood = { model: "a", count: 20_000, score: 0.5, load: 3.8 };
  const additions = addOutcomes(new Additions(), audited, flood);
  const sums = addStatistics(NO_STATISTICS, statisticsOf(additions), 0).tasks["t"]?.models["a"]
    ?.sums;
  const { weight = 0, bad = 0, load = Infinity } = sums?.feedback ?? {};
  assert((sums?.audit?.load ?? 0) >= 2 * load && weight <= 200);
  // The share of bad answers is that of the votes.
  assertAlmostEquals(bad / load, 0.5 / 3.8, 1e-4);
});

Deno.test("later outcomes replace older ones in proportion at the bound", () => {
  const votes = (score: number) =>
    statisticsOf(addOutcomes(new Additions(), { model: "a", count: 200, score }));
  const sum = sumOf(addStatistics(votes(0), votes(1), 0));
  assertAlmostEquals(sum?.weight ?? 0, 200, 1e-9);
  assertAlmostEquals(sum?.bad ?? 0, 100, 1e-9);
});

Deno.test("the least recently used tasks go beyond the bound, with their audits", () => {
  const additions = new Additions();
  const outcomeAt = (at: number) => ({
    ...{ walletId: "w", task: `t${at}`, model: "a", atMs: at, source: "feedback" as const },
    ...{ score: 1, weight: 1, load: 1 },
  });
  additions.noteAudit("w", { task: "t0", load: 1, answers: [] }, 0);
  for (let at = 0; at < TASKS_PER_WALLET_MAX; at++) additions.noteOutcome(outcomeAt(at));
  const base = addStatistics(NO_STATISTICS, statisticsOf(additions), 0);
  const later = new Additions();
  later.noteOutcome(outcomeAt(TASKS_PER_WALLET_MAX));
  const { tasks, audits } = addStatistics(base, statisticsOf(later), 0);
  assertEquals(Object.keys(tasks).length, TASKS_PER_WALLET_MAX);
  assertEquals([tasks["t0"], "t1" in tasks, base.audits.length, audits.length], [
    undefined,
    true,
    1,
    0,
  ]);
});

Deno.test("the statistics of a wallet with every task are some 300 KB", () => {
  const additions = new Additions();
  for (let at = 0; at < TASKS_PER_WALLET_MAX; at++) {
    const task = at.toString(16).padStart(16, "0");
    addOutcomes(additions, { model: "model-a", count: 3, score: 0.3, task });
  }
  const { tasks } = addStatistics(NO_STATISTICS, statisticsOf(additions), 1_000);
  assert(JSON.stringify(tasks).length < 400_000);
});

Deno.test("the latest samples and audits stay", () => {
  const additions = new Additions();
  for (let at = 0; at < 3 * AUDITS_MAX; at++) {
    additions.noteAudit("w", { task: "t", load: at, answers: [] }, at);
    additions.noteServed({
      ...{ walletId: "w", task: "t", model: "a", atMs: at, charged: 1, bestFactor: 2 },
      ...{ cheapestFactor: 0.5, sample: { task: "t", load: at, price: 1, options: [] } },
    });
  }
  const { samples, audits, tasks } = addStatistics(NO_STATISTICS, statisticsOf(additions), 0);
  assertEquals([samples.length, audits.length], [SAMPLES_MAX, AUDITS_MAX]);
  assertEquals([samples.at(-1)?.load, audits.at(-1)?.load], Array(2).fill(3 * AUDITS_MAX - 1));
  const task = tasks["t"];
  const count = 3 * AUDITS_MAX;
  assertEquals([task?.bestCharged, task?.cheapestCharged], [2 * count, count / 2]);
  const model = task?.models["a"];
  assertEquals([model?.served, model?.charged], [count, count]);
});

Deno.test("Additions.append() adds what was collected later, as if it were collected at once", () => {
  const groups = fc.array(outcome, { maxLength: 5 });
  fc.assert(fc.property(groups, groups, (one, other) => {
    const parts = addOutcomes(new Additions(), ...one);
    parts.append(addOutcomes(new Additions(), ...other));
    const whole = addOutcomes(new Additions(), ...one, ...other);
    const tasksOf = (additions: Additions) =>
      addStatistics(NO_STATISTICS, statisticsOf(additions), 0).tasks;
    assertEquals(tasksOf(parts), tasksOf(whole));
    assertEquals([parts.isEmpty, new Additions().isEmpty], [one.length + other.length === 0, true]);
  }));
});
