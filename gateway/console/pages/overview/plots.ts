/**
 * Plots over time: columns of numbers, each with its colour and the requests it stands for.
 *
 * @module
 */

import * as ui from "../../components/mod.ts";
import type { View } from "../../page.ts";
import { nameOfGroup, type Overview, type Point, type PointGroup } from "./answer.ts";
import { overviewMessages } from "./messages.ts";

/** The form of values, on the axis as in the table. */
export type PlotKind = "count" | "credits" | "duration";

/** One colour of a plot. */
export interface PlotColumn {
  readonly title: string;
  /** A colour of the style sheet. */
  readonly ink: string;
  readonly value: (point: Point) => number | null;
  /** Conditions of the requests list that mean the same requests; `undefined` where none do. */
  readonly filter?: Readonly<Record<string, string>> | undefined;
}

/** One plot, and one table of numbers. */
export interface Plot {
  readonly name: "requests" | "failures" | "spend" | "tokens" | "latency" | "firstByte";
  readonly kind: PlotKind;
  /** On top of each other as bars, or beside each other as lines. */
  readonly isStacked: boolean;
  readonly columns: readonly PlotColumn[];
  /** All of a step: of requests it is less than the columns, since models share those that are split. */
  readonly whole?: ((point: Point) => number) | undefined;
}

/** Colours that models and keys have, in the order of what they cost. */
const GROUP_INKS = 8;

type Sums = Omit<PointGroup, "id" | "others">;

/** Every plot of an overview, without the columns that are 0 throughout. */
export function plotsOf(view: View, overview: Overview): readonly Plot[] {
  return allPlots(view, overview).map((plot) => {
    const used = plot.columns.filter(({ value }) => overview.series.some((point) => value(point)));
    return { ...plot, columns: used.length === 0 ? plot.columns.slice(0, 1) : used };
  });
}

function allPlots(view: View, overview: Overview): readonly Plot[] {
  const say = view.say(overviewMessages);
  const split = (value: (sums: Sums) => number) => groupColumns(view, overview, value);
  const whole = (title: string, ink: string, value: (point: Point) => number | null) => ({
    ...{ title, ink, value },
  });
  const { refused, failed, left: clientLeft } = endings(view);
  const ok = { ...whole(say.ok, "1", (point) => point.ok), filter: { outcome: "ok" } };
  const input = whole(say.tokensIn, "1", ({ inputTokens }) => inputTokens);
  const output = whole(say.tokensOut, "2", ({ outputTokens }) => outputTokens);
  const stack = { isStacked: true } as const;
  const lines = { kind: "duration", isStacked: false } as const;
  return [
    {
      ...{ ...stack, name: "requests", kind: "count" },
      columns: split(({ requests }) => requests) ?? [ok, clientLeft, refused, failed],
      whole: ({ requests }) => requests,
    },
    {
      ...{ ...stack, name: "failures", kind: "count" },
      columns: [failed, refused, clientLeft],
      whole: (point) => point.errors + point.refused + point.clientLeft,
    },
    {
      ...{ ...stack, name: "spend", kind: "credits" },
      columns: split(({ charged }) => Number(charged)) ??
        [whole(say.spend, "1", ({ charged }) => Number(charged))],
      whole: ({ charged }) => Number(charged),
    },
    {
      ...{ ...stack, name: "tokens", kind: "count" },
      columns: split((sums) => sums.inputTokens + sums.outputTokens) ?? [input, output],
      whole: (point) => point.inputTokens + point.outputTokens,
    },
    {
      ...{ ...lines, name: "latency" },
      columns: [
        whole(say.p50, "1", ({ durationMs }) => durationMs.p50),
        whole(say.p95, "3", ({ durationMs }) => durationMs.p95),
        whole(say.p99th, "5", ({ durationMs }) => durationMs.p99),
      ],
    },
    {
      ...{ ...lines, name: "firstByte" },
      columns: [
        whole(say.p50, "1", ({ firstByteMs }) => firstByteMs.p50),
        whole(say.p95, "3", ({ firstByteMs }) => firstByteMs.p95),
      ],
    },
  ];
}

/** A value as the legend and the table write it. */
export function plotText(kind: PlotKind, value: number | null): string {
  if (value === null) return "–";
  if (kind === "duration") return ui.durationText(value);
  return kind === "credits" ? ui.roundedCredits(String(value)) : ui.countText(value);
}

/** The sum over all steps; `null` where values do not add up. */
export function totalOf(
  { isStacked }: Plot,
  value: (point: Point) => number | null,
  { series }: Overview,
): number | null {
  return isStacked ? series.reduce((sum, point) => sum + (value(point) ?? 0), 0) : null;
}

function endings(view: View): Record<"refused" | "failed" | "left", PlotColumn> {
  const say = view.say(overviewMessages);
  return {
    refused: {
      ...{ title: say.refused, ink: "warn", value: ({ refused }) => refused },
      filter: { outcome: "error", status: "4xx" },
    },
    failed: {
      ...{ title: say.failed, ink: "bad", value: ({ errors }) => errors },
      filter: { outcome: "error", status: "5xx" },
    },
    left: {
      ...{ title: say.left, ink: "others", value: ({ clientLeft }) => clientLeft },
      filter: { outcome: "client_left" },
    },
  };
}

/** A column for each model or key, the dearest first; `undefined` where nothing is split up. */
function groupColumns(
  view: View,
  overview: Overview,
  value: (sums: Sums) => number,
): readonly PlotColumn[] | undefined {
  const say = view.say(overviewMessages);
  const by = overview.split;
  if (by === "none") return undefined;
  const at = ({ groups = [] }: Point, isOne: (group: PointGroup) => boolean) => {
    const group = groups.find(isOne);
    return group === undefined ? 0 : value(group);
  };
  const all = overview.series.flatMap(({ groups = [] }) => groups);
  const ids = new Set(all.filter(({ others }) => !others).map(({ id }) => id));
  const dear = (by === "model" ? overview.models.map(({ model }) => model) : overview.keys.map(
    ({ key }) => key,
  )).filter((id) => ids.has(id));
  let inks = 0;
  const named = [...new Set(dear)].map((id): PlotColumn => ({
    title: nameOfGroup(view, overview, id),
    ink: id === null ? "warn" : String(inks++ % GROUP_INKS + 1),
    value: (point) => at(point, (group) => !group.others && group.id === id),
    filter: id === null ? { outcome: "error" } : { [by]: id },
  }));
  if (!all.some(({ others }) => others)) return named;
  const rest = (point: Point) => at(point, ({ others }) => others);
  return [...named, { title: say.others, ink: "others", value: rest }];
}
