/**
 * The report of an evaluation, as text.
 *
 * @module
 */

import type { FeedbackReport } from "./feedback.ts";
import { type PointName, POINTS, type SetReport, SHARES, type WayName } from "./evaluate.ts";
import type { Plot } from "./plot.ts";
import type { Interval } from "./random.ts";
import { mixAt, mixCostOf } from "./tally.ts";

/** Results of all sets. */
export interface EvalReport {
  readonly seeds: readonly number[];
  readonly sets: readonly SetReport[];
  /** Sets that compare the same models, as one; only their APGR is of interest. */
  readonly pooled: readonly SetReport[];
  readonly feedback: readonly FeedbackReport[];
}

/** APGR of the difficulty before outcomes were learned (version 0.13), for comparison. */
const FORMER_APGR: Readonly<Record<string, number>> = {
  routellm_mmlu: 0.554,
  routellm_gsm8k: 0.575,
  zeroeval: 0.605,
};

/** Names of the ways of routing in the report. */
export const WAY_TITLES: Readonly<Record<WayName, string>> = {
  untrained: "untrained, published qualities",
  "untrained-measured": "untrained, measured qualities",
  "untrained-left-out": "untrained, constants fitted without this set",
  trained: "trained on half",
  audited: "200 audits, verify: auto",
  verified: "200 audits, always verified",
};

const POINT_TITLES: Readonly<Record<PointName, string>> = {
  economy: "economy",
  balanced: "balanced",
  best: "best",
  "0.1": "10 % cost",
  "0.2": "20 % cost",
  "0.4": "40 % cost",
  "0.5": "50 % cost",
  "best-1": "best - 1 point",
};

function percent(value: number, digits = 1): string {
  return (100 * value).toFixed(digits);
}

function range({ value, low, high }: Interval, text: (value: number) => string): string {
  return `${text(value)} [${text(low)}, ${text(high)}]`;
}

const three = (value: number) => value.toFixed(3);
const points = (value: number) => percent(value, 2);

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? "").length))
  );
  return rows.map((row) =>
    row.map((cell, column) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)
    ).join("  ").trimEnd()
  );
}

/** Returns the lines about one set. */
export function setLines(report: SetReport): string[] {
  const { set, qualities, baselines } = report;
  const assumed = qualities.assumed.length === 0
    ? ""
    : `; the median for ${qualities.assumed.join(", ")}`;
  return [
    "",
    `# ${set.name}: ${set.questions.length} questions, ${set.models.length} models, ` +
    `${new Set(set.questions.map(({ cat }) => cat)).size} tasks`,
    `Qualities of the catalog: ${qualities.source}${assumed}. "Measured" qualities are the means ` +
    "of the training half, rounded to two places.",
    ...apgrLines(report),
    "",
    ...baselineLines(baselines),
    "",
    ...wayLines(report),
    ...smallestLines(report),
  ];
}

function apgrLines({ set, pair, apgr }: SetReport): string[] {
  const former = FORMER_APGR[set.name];
  const rows = [
    [`APGR, ${pair[0]} -> ${pair[1]}`, "", "95 % interval"],
    ["random", "0.500", ""],
    ...(former === undefined ? [] : [["former difficulty (version 0.13)", three(former), ""]]),
    ...[
      ["prompt length", apgr.length] as const,
      ["difficulty, untrained", apgr.untrained] as const,
      ...(apgr.leftOut === undefined
        ? []
        : [["difficulty, constants fitted without this set", apgr.leftOut] as const]),
      ["estimates trained on half", apgr.trained] as const,
    ].map(([name, { value, low, high }]) => [
      name,
      three(value),
      `[${three(low)}, ${three(high)}]`,
    ]),
  ];
  return table(rows);
}

function baselineLines(baselines: SetReport["baselines"]): string[] {
  const { models, best } = baselines.points();
  const oracle = baselines.oracle.mean(undefined);
  const cheapest = models.reduce((one, other) => other.cost < one.cost ? other : one);
  const mixes = SHARES.map((share) =>
    `${percent(mixAt(share * best.cost, models))} at ${percent(share, 0)} %`
  );
  const cost = mixCostOf(best.quality - 0.01, models) / best.cost;
  return [
    `always-best ${percent(best.quality)} at 100 %; ` +
    `always-cheapest ${percent(cheapest.quality)} at ${percent(cheapest.cost / best.cost)} %; ` +
    `oracle ${percent(oracle.quality)} at ${percent(oracle.cost / best.cost)} %`,
    `best random mix: ${mixes.join(", ")}; best - 1 point at ${percent(cost)} %`,
  ];
}

function wayLines({ ways }: SetReport): string[] {
  return ways.flatMap(({ way, points: figures }) => [
    ...table([
      [WAY_TITLES[way], "quality", "less best [95 %]", "cost % [95 %]", "over mix [95 %]"],
      ...POINTS.map((point) => {
        const { quality, loss, share, gain } = figures[point];
        return [
          `  ${POINT_TITLES[point]}`,
          percent(quality.value),
          range(loss, points),
          range(share, percent),
          range(gain, points),
        ];
      }),
    ]),
    "",
  ]);
}

/** The hardest category of the known sets, for which the share of the smallest model is stated. */
const HARD_CATEGORY = "math-l5";

function smallestLines({ ways }: SetReport): string[] {
  const shares = ways.filter(({ smallest }) => HARD_CATEGORY in smallest).map(
    ({ way, smallest }) => `${WAY_TITLES[way]} ${percent(smallest[HARD_CATEGORY] ?? 0)} %`,
  );
  if (shares.length === 0) return [];
  return [
    `${HARD_CATEGORY}, share that balanced sends to the smallest model: ${shares.join("; ")}`,
  ];
}

/** Returns the lines about votes alone. */
export function feedbackLines(reports: readonly FeedbackReport[], votes: number): string[] {
  const rows = reports.flatMap((report) =>
    ([
      ["before any vote", report.before],
      [`${votes} votes`, report.voted],
      [`${votes} votes, 15 % wrong`, report.misled],
    ] as const).map(([name, { quality, share, gain, drawError }], at) => [
      at === 0 ? report.set : "",
      name,
      percent(quality.value),
      percent(share.value),
      points(gain.value),
      points(drawError),
      points(gain.error),
    ])
  );
  return [
    "",
    "# Votes about the served model alone, two models, balanced",
    ...table([
      ["set", "", "quality", "cost %", "over mix", "error of draws", "and of questions"],
      ...rows,
    ]),
  ];
}

/** Returns the plot of one set: each way's curve and the baselines. */
export function plotOf({ set, ways, baselines }: SetReport): Plot {
  const { models, best } = baselines.points();
  const oracle = baselines.oracle.mean(undefined);
  const shares = Array.from({ length: 41 }, (_, at) => at / 40);
  const least = Math.min(...models.map(({ cost }) => cost)) / best.cost;
  const beside = ({ cost, quality }: typeof best) => ({ share: cost / best.cost, quality });
  return {
    title: set.name,
    series: [
      {
        name: "best random mix",
        points: [least, ...shares.filter((share) => share > least)]
          .map((share) => ({ share, quality: mixAt(share * best.cost, models) })),
      },
      { name: "single models", points: models.map(beside), isScatter: true },
      { name: "oracle", points: [beside(oracle)], isScatter: true },
      ...ways.filter(({ way }) => way !== "untrained-left-out").map(({ way, curve }) => ({
        name: WAY_TITLES[way],
        points: curve.toSorted((one, other) => one.share - other.share),
      })),
    ],
  };
}
