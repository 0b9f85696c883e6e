/**
 * A flood of outcomes: it moves an estimate up to its bound, and the decisions of no other wallet.
 *
 * @module
 */

import { assert, assertAlmostEquals, assertEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { Additions } from "../../../gateway/domain/learning/additions.ts";
import { estimatesOf } from "../../../gateway/domain/learning/estimate.ts";
import {
  EMPTY_SNAPSHOT,
  nextSnapshot,
  type RoutingSnapshot,
} from "../../../gateway/domain/learning/snapshot.ts";
import {
  OUTCOME_SOURCES,
  type OutcomeSource,
  type OutcomeSum,
  SOURCE_WEIGHT_MAX,
} from "../../../gateway/domain/learning/statistics.ts";
import { chatFeatures } from "../../../gateway/domain/requests/features.ts";
import { route } from "../../../gateway/domain/routing/route.ts";
import {
  catalogWith,
  contextOf,
  FULL,
  fullStatistics,
  NOW_MS,
  taskAt,
} from "../../bench/routing_cost/full_wallet.ts";

const catalog = catalogWith(6);
const EXTENT = { ...FULL, models: 6, tasks: 12 };
const [FLOODED, OTHER] = ["flooded", "other"];
const TASK = taskAt(3);

/** A snapshot with statistics of two wallets. */
const BEFORE = nextSnapshot(
  EMPTY_SNAPSHOT,
  new Map([...fullStatistics(FLOODED, EXTENT, 1), ...fullStatistics(OTHER, EXTENT, 2)]),
  contextOf(catalog),
);

interface Flood {
  readonly source: OutcomeSource;
  readonly model: string;
  readonly votes: number;
  /** Scores of the votes, in turn. */
  readonly scores: readonly number[];
  readonly load: number;
  /** Weight of each vote. @default {1} */
  readonly weight?: number;
}

const floods: fc.Arbitrary<Flood> = fc.record({
  source: fc.constantFrom(...OUTCOME_SOURCES),
  model: fc.constantFrom(...catalog.models.map(({ id }) => id)),
  votes: fc.integer({ min: 1, max: 10_000 }),
  scores: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 5 }),
  load: fc.double({ min: 0.2, max: 3.8, noNaN: true }),
});

/** Returns the snapshot after all votes of a flood, which no snapshot divides. */
function after({ source, model, votes, scores, load, weight = 1 }: Flood): RoutingSnapshot {
  const additions = new Additions();
  for (let at = 0; at < votes; at++) {
    const score = scores[at % scores.length] ?? 0;
    const note = { walletId: FLOODED, task: TASK, model, source, score, load };
    additions.noteOutcome({ ...note, atMs: NOW_MS, weight });
  }
  return nextSnapshot(BEFORE, additions.byWallet(), contextOf(catalog));
}

/** Returns the probabilities of all models for a typical request of a task of the flooded wallet. */
function probabilities(snapshot: RoutingSnapshot, task = TASK): number[] {
  const wallet = snapshot.wallets.get(FLOODED);
  const evidence = {
    wallet: wallet?.totals ?? {},
    task: wallet?.statistics.tasks[task],
    sources: OUTCOME_SOURCES,
  };
  return estimatesOf(catalog.models, 1, evidence).map(({ p }) => p);
}

/** Returns the decision about a request of a wallet as text, without the snapshot's number. */
function decisionText(snapshot: RoutingSnapshot, walletId: string, seed: number): string {
  const content = "Name the capital of the country, and say since when it is.";
  const plan = route({
    catalog,
    features: chatFeatures({ model: "auto", messages: [{ role: "user", content }] }),
    policy: { auto: { verify: "auto" } },
    wallet: {
      ...{ id: walletId, tier: "all", credits: 10n ** 12n, available: 10n ** 12n },
      ...{ held: 0n, spent: 0n, writtenOff: 0n, createdAtMs: NOW_MS },
    },
    ...{ budget: {}, pool: new Map(), snapshot, task: TASK, seed, nowMs: NOW_MS },
  });
  assert(plan.ok);
  const numbered = { ...plan, basis: { ...plan.basis, snapshot: 0 } };
  return JSON.stringify(
    numbered,
    (_, value) => typeof value === "bigint" ? `${value}n` : value,
  );
}

/** Asserts that the larger of weight and load is at the bound. */
function assertAtBound(sum: OutcomeSum | undefined, bound: number): void {
  assertAlmostEquals(Math.max(sum?.weight ?? 0, sum?.load ?? 0), bound, 1e-5);
}

/** Weight of a vote that stands for a flood without an end. */
const ENDLESS = 1e9;

Deno.test("no flood moves an estimate further than an endless one, which has a bound", () => {
  fc.assert(
    fc.property(floods, (flood) => {
      const model = catalog.models.findIndex(({ id }) => id === flood.model);
      const p = probabilities(after(flood))[model] ?? NaN;
      const ends = [0, 1].map((score) => ({
        ...flood,
        votes: 1,
        scores: [score],
        weight: ENDLESS,
      }));
      const extremes = [BEFORE, ...ends.map(after)].map((snapshot) =>
        probabilities(snapshot)[model] ?? NaN
      );
      const [low, high] = [Math.min(...extremes), Math.max(...extremes)];
      assert(low - 1e-4 <= p && p <= high + 1e-4, `${low} <= ${p} <= ${high}`);
      const sum = after(ends[0] ?? flood).wallets.get(FLOODED)?.statistics.tasks[TASK]
        ?.models[flood.model]?.sums[flood.source];
      assertAtBound(sum, SOURCE_WEIGHT_MAX[flood.source]);
    }),
    { numRuns: 60, seed: 14 },
  );
});

Deno.test("10,000 votes move an estimate hardly further than as many as the bound", () => {
  const flood = { source: "feedback", model: "model-5", scores: [0], load: 1 } as const;
  const at = (votes: number) => probabilities(after({ ...flood, votes }))[5] ?? NaN;
  assertAlmostEquals(at(10_000), at(SOURCE_WEIGHT_MAX.feedback), 5e-3);
  const [none, ten, hundred, all] = [probabilities(BEFORE)[5] ?? NaN, at(10), at(100), at(10_000)];
  assert(none > ten && ten > hundred && hundred > all, `${none} ${ten} ${hundred} ${all}`);
  const sum = after({ ...flood, votes: 10_000 }).wallets.get(FLOODED)?.statistics.tasks[TASK]
    ?.models["model-5"]?.sums.feedback;
  assertAtBound(sum, SOURCE_WEIGHT_MAX.feedback);
});

Deno.test("a flood leaves the decisions of another wallet byte for byte as they were", () => {
  fc.assert(
    fc.property(floods, fc.double({ min: 0, max: 0.999, noNaN: true }), (flood, seed) => {
      const flooded = after(flood);
      assertStrictEquals(flooded.wallets.get(OTHER), BEFORE.wallets.get(OTHER));
      assertEquals(decisionText(flooded, OTHER, seed), decisionText(BEFORE, OTHER, seed));
    }),
    { numRuns: 60, seed: 15 },
  );
  // The same flood does change decisions of its own wallet.
  const worst = { source: "feedback", model: "model-5", scores: [0], load: 1, votes: 10_000 };
  const flooded = after(worst as Flood);
  assert(decisionText(flooded, FLOODED, 0.5) !== decisionText(BEFORE, FLOODED, 0.5));
});
