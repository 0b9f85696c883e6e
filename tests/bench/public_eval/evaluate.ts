/**
 * Evaluates all ways of routing on one set, over splits into a training and a test half.
 *
 * @module
 */

import type { Catalog } from "../../../gateway/domain/catalog/catalog.ts";
import type { RoutingSnapshot } from "../../../gateway/domain/learning/snapshot.ts";
import { apgrOf, scoreOrder } from "./apgr.ts";
import { catalogOf, meanOf, type Qualities, qualitiesOf } from "./catalog.ts";
import type { QuestionSet } from "./data.ts";
import { bootstrapDraws, type Interval, intervalOf, splitOf } from "./random.ts";
import { type Bench, planOf, type Way } from "./replay.ts";
import { auditedSnapshot, trainedSnapshot, untrainedSnapshot } from "./snapshots.ts";
import {
  curveOf,
  type CurvePoint,
  DIALS,
  type Mix,
  mixOfQuality,
  mixOfShare,
  type Results,
  sweep,
} from "./sweep.ts";
import { Baselines, type Figures, Tally } from "./tally.ts";

/** Names of the ways of routing. */
export const WAYS = [
  "untrained",
  "untrained-measured",
  "untrained-left-out",
  "trained",
  "audited",
  "verified",
] as const;

export type WayName = typeof WAYS[number];

/** Shares of the best model's cost at which quality is reported. */
export const SHARES = [0.1, 0.2, 0.4, 0.5] as const;
/** Part of a share that dials are chosen for, so that the test half stays within the share. */
const SHARE_MARGIN = 0.97;
/** Loss of quality beside the best model that the cost is reported for. */
export const ACCEPTED_LOSS = 0.01;

/** Points at which a way is reported. */
export const POINTS = [
  "economy",
  "balanced",
  "best",
  "0.1",
  "0.2",
  "0.4",
  "0.5",
  "best-1",
] as const;

export type PointName = typeof POINTS[number];

/** Questions of the training half on which dials are chosen. */
const CHOICE_QUESTIONS = 500;

/** Figures of one way of routing. */
export interface WayReport {
  readonly way: WayName;
  readonly points: Readonly<Record<PointName, Figures>>;
  readonly curve: readonly CurvePoint[];
  /** Share of the requests of each category that `balanced` sends to the cheapest model. */
  readonly smallest: Readonly<Record<string, number>>;
}

/** Figures of one set. */
export interface SetReport {
  readonly set: QuestionSet;
  readonly qualities: Qualities;
  readonly pair: readonly [weak: string, strong: string];
  readonly ways: readonly WayReport[];
  readonly baselines: Baselines;
  /** APGR of prompt length, of the difficulty, and of the trained estimates. */
  readonly apgr: {
    readonly length: Interval;
    readonly untrained: Interval;
    /** With constants that were fitted without the set. */
    readonly leftOut: Interval | undefined;
    readonly trained: Interval;
  };
}

/** One split with its catalogs and baselines. */
export interface Half {
  readonly catalog: Catalog;
  readonly training: readonly number[];
  readonly test: readonly number[];
  readonly seed: number;
  /** Position of the best single model by the training half. */
  readonly best: number;
}

/** Evaluates one set. `progress` receives a line a split. */
export function evaluateSet(bench: Bench, seeds: readonly number[], options: {
  readonly ways?: readonly WayName[];
  /** The set with difficulties whose constants were fitted without it. */
  readonly leftOut?: Bench | undefined;
  progress(line: string): void;
}): SetReport {
  const { set } = bench;
  const { leftOut } = options;
  const names = waysOf(set, options.ways ?? WAYS)
    .filter((name) => leftOut !== undefined || name !== "untrained-left-out");
  const benchFor = (name: WayName) => name === "untrained-left-out" ? leftOut ?? bench : bench;
  const count = set.questions.length;
  const draws = bootstrapDraws(count);
  const baselines = new Baselines(set, draws);
  const pair = pairOf(set);
  const outcomes = outcomesOf(set, pair);
  const sums = new Map(names.map((name) => [name, new WaySums(benchFor(name))]));
  const trained = draws.map(() => 0);
  let trainedSum = 0;
  for (const seed of seeds) {
    const half = halfOf(bench, seed, "published");
    for (const at of half.test) baselines.add(at, half.best);
    const ways = snapshotsOf(benchFor, half, names);
    for (const [name, { way, catalog }] of ways) sums.get(name)?.add({ ...half, catalog }, way);
    const way = ways.get("trained")?.way ?? { snapshot: trainedOf(bench, half), verify: "off" };
    const order = trainedOrder(bench, half, way.snapshot, pair);
    trainedSum += apgrOf(order, outcomes);
    for (const [index, times] of draws.entries()) {
      trained[index] = (trained[index] ?? 0) + apgrOf(order, outcomes, times) / seeds.length;
    }
    options.progress(`${set.name}: split ${seed}`);
  }
  const difficultyOrder = ({ features }: Bench) =>
    scoreOrder(features.map(({ difficulty }) => difficulty));
  const lengthOrder = scoreOrder(set.questions.map(({ q }) => q.length));
  const apgrs = (order: ReturnType<typeof scoreOrder>) =>
    intervalOf(apgrOf(order, outcomes), draws.map((times) => apgrOf(order, outcomes, times)));
  return {
    set,
    qualities: qualitiesOf(set, splitOf(count, seeds[0] ?? 1).training),
    pair,
    ways: names.map((way) => reportOf(way, sums.get(way) ?? new WaySums(bench), baselines)),
    baselines,
    apgr: {
      length: apgrs(lengthOrder),
      untrained: apgrs(difficultyOrder(bench)),
      leftOut: leftOut === undefined ? undefined : apgrs(difficultyOrder(leftOut)),
      trained: intervalOf(trainedSum / seeds.length, trained),
    },
  };
}

function waysOf(set: QuestionSet, names: readonly WayName[]): WayName[] {
  const compares = set.questions.every(({ a }) => a !== undefined) && set.models.length > 2;
  return names.filter((name) => compares || name !== "audited" && name !== "verified");
}

/** Returns a split with its catalog, whose qualities are published or measured. */
export function halfOf(
  bench: Bench,
  seed: number,
  quality: "published" | "measured",
  exploration = 0,
): Half {
  const { set } = bench;
  const { training, test } = splitOf(set.questions.length, seed);
  const measured = {
    ...set,
    quality: set.models.map((_, model) => meanQuality(set, training, model)),
  };
  const { values } = qualitiesOf(quality === "measured" ? measured : set, training);
  const catalog = catalogOf(set, { training, qualities: values, exploration });
  const qualities = set.models.map((_, model) =>
    meanOf(training.map((at) => set.questions[at]?.y[model] ?? 0))
  );
  return { catalog, training, test, seed, best: qualities.indexOf(Math.max(...qualities)) };
}

function meanQuality(set: QuestionSet, training: readonly number[], model: number): number {
  return Math.round(100 * meanOf(training.map((at) => set.questions[at]?.y[model] ?? 0))) / 100;
}

function trainedOf(bench: Bench, half: Half): RoutingSnapshot {
  return trainedSnapshot({ bench, ...half });
}

function snapshotsOf(
  benchFor: (name: WayName) => Bench,
  half: Half,
  names: readonly WayName[],
): Map<WayName, { way: Way; catalog: Catalog }> {
  const { catalog, seed } = half;
  const bench = benchFor("trained");
  const input = { bench, ...half };
  let audited: RoutingSnapshot | undefined;
  const auditedOnce = () => audited ??= auditedSnapshot(input);
  const entries = names.map((name): readonly [WayName, { way: Way; catalog: Catalog }] => {
    switch (name) {
      case "untrained":
        return [name, { way: { snapshot: untrainedSnapshot(input), verify: "off" }, catalog }];
      case "untrained-measured":
      case "untrained-left-out": {
        const measured = halfOf(bench, seed, "measured");
        const snapshot = untrainedSnapshot({ bench: benchFor(name), ...measured });
        return [name, { way: { snapshot, verify: "off" }, catalog: measured.catalog }];
      }
      case "trained":
        return [name, { way: { snapshot: trainedOf(bench, half), verify: "off" }, catalog }];
      case "audited":
        return [name, { way: { snapshot: auditedOnce(), verify: "auto" }, catalog }];
      case "verified":
        return [name, { way: { snapshot: auditedOnce(), verify: "always" }, catalog }];
    }
  });
  return new Map(entries);
}

/** Sums of one way over the splits. */
class WaySums {
  readonly tallies: Readonly<Record<PointName, Tally>>;
  readonly curves: CurvePoint[][] = [];
  readonly smallest = new Map<string, { requests: number; sent: number }>();
  readonly #bench: Bench;

  constructor(bench: Bench) {
    this.#bench = bench;
    const tally = () => new Tally(bench.set.questions.length);
    this.tallies = {
      ...{ economy: tally(), balanced: tally(), best: tally() },
      ...{ "0.1": tally(), "0.2": tally(), "0.4": tally(), "0.5": tally(), "best-1": tally() },
    };
  }

  /** Sweeps the dial in one split, chooses on the training half and adds the test half. */
  add({ catalog, training, test, seed, best }: Half, way: Way): void {
    const { questions } = this.#bench.set;
    const bestAt = (positions: readonly number[]) => ({
      cost: meanOf(positions.map((at) => questions[at]?.c[best] ?? 0)),
      quality: meanOf(positions.map((at) => questions[at]?.y[best] ?? 0)),
    });
    const choice = training.slice(-CHOICE_QUESTIONS);
    const chosen = bestAt(choice);
    const curve = curveOf(
      sweep(this.#bench, choice, { catalog, way, seed: seed + 80_000 }),
      chosen.cost,
    );
    const results = sweep(this.#bench, test, { catalog, way, seed: seed + 100_000 });
    this.curves.push(curveOf(results, bestAt(test).cost));
    const named = { economy: 0, balanced: 0.5, best: 1 } as const;
    for (
      const [name, dial] of Object.entries(named) as ["economy" | "balanced" | "best", number][]
    ) {
      this.#addMix(name, [[DIALS.indexOf(dial), 1]], test, results);
    }
    for (const share of SHARES) {
      this.#addMix(`${share}`, mixOfShare(curve, share * SHARE_MARGIN), test, results);
    }
    this.#addMix("best-1", mixOfQuality(curve, chosen.quality - ACCEPTED_LOSS), test, results);
    this.#addSmallest(catalog, test, results[DIALS.indexOf(0.5)] ?? []);
  }

  #addMix(name: PointName, mix: Mix, test: readonly number[], results: readonly Results[]): void {
    for (const [dial, part] of mix) {
      for (const [index, at] of test.entries()) {
        const result = results[dial]?.[index];
        if (result !== undefined && part > 0) this.tallies[name].add(at, result, part);
      }
    }
  }

  #addSmallest(catalog: Catalog, test: readonly number[], results: Results): void {
    const prices = catalog.models.map(({ price }) => Number(price.outputPerMTok));
    const smallest = prices.indexOf(Math.min(...prices));
    for (const [index, at] of test.entries()) {
      const category = this.#bench.set.questions[at]?.cat ?? "";
      const sum = this.smallest.get(category) ?? { requests: 0, sent: 0 };
      sum.requests++;
      if (results[index]?.model === smallest) sum.sent++;
      this.smallest.set(category, sum);
    }
  }
}

function reportOf(way: WayName, sums: WaySums, baselines: Baselines): WayReport {
  const figures = (name: PointName) => [name, baselines.figures(sums.tallies[name])] as const;
  const points = Object.fromEntries(POINTS.map(figures)) as Record<PointName, Figures>;
  const curve = DIALS.map((_, index) => ({
    share: meanOf(sums.curves.map((points) => points[index]?.share ?? 0)),
    quality: meanOf(sums.curves.map((points) => points[index]?.quality ?? 0)),
  }));
  const smallest = Object.fromEntries(
    [...sums.smallest].map(([category, { requests, sent }]) => [category, sent / requests]),
  );
  return { way, points, curve, smallest };
}

/** The pair of models that APGR is stated for in a set with more than two. */
const KNOWN_PAIRS: readonly (readonly [string, string])[] = [
  ["gpt-4o-mini-2024-07-18", "claude-3-5-sonnet-20241022"],
];

/**
 * Returns the weak and the strong model of APGR: those of the file, a known pair, or the cheapest
 * and the best one.
 */
export function pairOf(set: QuestionSet): readonly [weak: string, strong: string] {
  if (set.pair !== undefined) return set.pair;
  const known = KNOWN_PAIRS.find((pair) => pair.every((model) => set.models.includes(model)));
  if (known !== undefined) return known;
  const mean = (of: "y" | "c") => (model: string): number => {
    const at = set.models.indexOf(model);
    return meanOf(set.questions.map((question) => question[of][at] ?? 0));
  };
  const [quality, cost] = [mean("y"), mean("c")];
  const strong = set.models.toSorted((one, other) => quality(other) - quality(one))[0] ?? "";
  const weak = set.models.filter((model) => model !== strong)
    .toSorted((one, other) => cost(one) - cost(other))[0] ?? "";
  return [weak, strong];
}

/** Returns the outcomes of the two models. */
export function outcomesOf(set: QuestionSet, [weak, strong]: readonly [string, string]) {
  const column = (model: string) => {
    const at = set.models.indexOf(model);
    return set.questions.map(({ y }) => y[at] ?? 0);
  };
  return { weak: column(weak), strong: column(strong) };
}

/** Returns the test half in the order of the trained estimates' difference. */
export function trainedOrder(
  bench: Bench,
  { catalog, test }: Pick<Half, "catalog" | "test">,
  snapshot: RoutingSnapshot,
  [weak, strong]: readonly [string, string],
): readonly (readonly number[])[] {
  const scores = test.map((at) => {
    const way = { snapshot, verify: "off" } as const;
    const { candidates } = planOf(bench, at, { catalog, way, dial: 0.5, seed: 0.5 });
    const p = (id: string) =>
      candidates.find(({ model }) => model.id === id)?.ranking.estimate.p ?? 0;
    return p(strong) - p(weak);
  });
  return scoreOrder(scores).map((group) => group.map((index) => test[index] ?? 0));
}
