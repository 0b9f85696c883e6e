/**
 * The conditions of a release that hold for the path of a request. They are ratios to the bare
 * forwarder, and to the commits of the same store, of the same run.
 *
 * @module
 */

import { median } from "../load.ts";
import type { Finding } from "../marks.ts";
import type { Cost } from "./counters.ts";

/** Connections of the measurements under load. */
export const MANY = 32;
/** Connections of a single caller. */
export const SINGLE = 1;

/** A floor, and the figure that it is a step to. */
interface Mark {
  readonly mark: number;
  readonly goal: number;
}

/** The marks of one kind of request. */
interface KindMarks {
  readonly throughputMin: Mark;
  readonly cpuMax: Mark;
}

const KIND_MARKS: Readonly<Record<"JSON" | "stream", KindMarks>> = {
  JSON: { throughputMin: { mark: 0.3, goal: 0.42 }, cpuMax: { mark: 4, goal: 2.8 } },
  stream: { throughputMin: { mark: 0.52, goal: 0.62 }, cpuMax: { mark: 2.9, goal: 2.3 } },
};

/** Processor time of a single caller's JSON request, of that of the forwarder's. */
export const SINGLE_CPU_MAX: Mark = { mark: 6, goal: 4.5 };
/** Time beyond the forwarder's and two commits of one row, in milliseconds. */
export const BEYOND_P50_MS_MAX: Mark = { mark: 0.3, goal: 0.15 };
/** 99th percentile beyond that of the forwarder, in milliseconds. */
export const BEYOND_P99_MS_MAX: Mark = { mark: 8, goal: 4 };
/** Bytes on disk of a single caller's request, of those of two commits of one row. */
export const DISK_MAX: Mark = { mark: 1.4, goal: 1.15 };
/** Bytes on the heap a JSON request, in kilobytes. */
export const GARBAGE_KB_MAX: Mark = { mark: 40, goal: 25 };
/**
 * Processor time after a pause, of that before it. V8's memory reducer drops compiled code: with it
 * this is 1.6.
 */
export const AFTER_PAUSE_MAX: Mark = { mark: 1.2, goal: 1.05 };

/** Both sides in one round. */
export interface PairedRound {
  readonly bare: Cost;
  readonly gateway: Cost;
}

/** Two durable commits of one small row. */
export interface CommitPairs {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly diskBytes: number;
}

/** One round of a single caller. */
export interface SingleRound extends PairedRound {
  readonly twoCommits: CommitPairs;
}

/** Throughput and processor time under load: medians of the rounds' own ratios. */
export function loadFindings(name: "JSON" | "stream", rounds: readonly PairedRound[]): Finding[] {
  const { throughputMin, cpuMax } = KIND_MARKS[name];
  const rates = rounds.map(({ bare, gateway }) => gateway.rate / bare.rate);
  return [
    {
      name: `${name}, ${MANY} connections: throughput, gateway / bare`,
      measured: spread(rates),
      mark: `>= ${throughputMin.mark} (goal ${throughputMin.goal})`,
      met: median(rates) >= throughputMin.mark,
    },
    cpuFinding(`${name}, ${MANY} connections`, rounds, cpuMax),
    plain(
      `${name}, ${MANY} connections: disk bytes a request`,
      `${kilobytes(rounds.map(({ gateway }) => gateway.diskBytes))} KB`,
    ),
  ];
}

/** The figures of a single caller. Those of streams have no marks. */
export function singleFindings(name: "JSON" | "stream", rounds: readonly SingleRound[]): Finding[] {
  const added = rounds.map(({ bare, gateway }) => gateway.p50Ms - bare.p50Ms);
  const beyond = rounds.map(({ twoCommits }, at) => (added[at] ?? NaN) - twoCommits.p50Ms);
  const tail = rounds.map(({ bare, gateway }) => gateway.p99Ms - bare.p99Ms);
  const commitTail = rounds.map(({ twoCommits }) => twoCommits.p99Ms);
  const disk = rounds.map(({ gateway, twoCommits }) => gateway.diskBytes / twoCommits.diskBytes);
  const findings = [
    cpuFinding(`${name}, one connection`, rounds, SINGLE_CPU_MAX),
    atMost(`${name}, one connection: p50 beyond bare and two commits`, {
      measured: `${spread(beyond)} ms (added ${median(added).toFixed(2)})`,
      figure: median(beyond),
      limit: BEYOND_P50_MS_MAX,
      unit: " ms",
    }),
    atMost(`${name}, one connection: p99 beyond bare`, {
      measured: `${spread(tail)} ms (two commits: ${median(commitTail).toFixed(2)})`,
      figure: median(tail),
      limit: BEYOND_P99_MS_MAX,
      unit: " ms",
    }),
    atMost(`${name}, one connection: disk bytes, of two commits`, {
      measured: `${spread(disk)} x (${
        kilobytes(rounds.map((round) => round.gateway.diskBytes))
      } KB)`,
      figure: median(disk),
      limit: DISK_MAX,
      unit: " x",
    }),
  ];
  return name === "JSON" ? findings : findings.map(({ name, measured }) => plain(name, measured));
}

/** The requests whose garbage is counted. */
export interface GarbageLoad {
  readonly stream: boolean;
  readonly connections: number;
}

/** Bytes on the heap a request, of both sides. Those of JSON under load have a mark. */
export function garbageFindings(
  { stream, connections }: GarbageLoad,
  { gateway, bare }: { readonly gateway: number; readonly bare: number },
): Finding[] {
  const name = `${stream ? "stream" : "JSON"}, ${connections} connections: garbage a request`;
  const measured = `${(gateway / 1_024).toFixed(1)} KB (bare: ${(bare / 1_024).toFixed(1)})`;
  if (stream || connections !== MANY) return [plain(name, measured)];
  const figure = gateway / 1_024;
  return [atMost(name, { measured, figure, limit: GARBAGE_KB_MAX, unit: " KB" })];
}

/** Processor time of the gateway's JSON requests, in microseconds each. */
export function pauseFindings(
  { before, after }: { readonly before: readonly number[]; readonly after: readonly number[] },
): Finding[] {
  const figure = median(after) / median(before);
  const measured = `${figure.toFixed(2)} x (${median(after).toFixed(0)} / ${
    median(before).toFixed(0)
  } us)`;
  const name = `JSON, ${MANY} connections: CPU a request after a pause, of that before`;
  return [atMost(name, { measured, figure, limit: AFTER_PAUSE_MAX, unit: " x" })];
}

function cpuFinding(name: string, rounds: readonly PairedRound[], limit: Mark): Finding {
  const ratios = rounds.map(({ bare, gateway }) => gateway.cpuMicros / bare.cpuMicros);
  const micros = (side: keyof PairedRound) => median(rounds.map((one) => one[side].cpuMicros));
  return atMost(`${name}: CPU a request, gateway / bare`, {
    measured: `${spread(ratios)} x (${micros("gateway").toFixed(0)} / ${
      micros("bare").toFixed(0)
    } us)`,
    figure: median(ratios),
    limit,
    unit: " x",
  });
}

/** A row that is skipped where the system did not show the figure. */
function atMost(
  name: string,
  { measured, figure, limit, unit }: {
    readonly measured: string;
    readonly figure: number;
    readonly limit: Mark;
    readonly unit: string;
  },
): Finding {
  const mark = `<= ${limit.mark}${unit} (goal ${limit.goal})`;
  if (Number.isNaN(figure)) {
    return { name, measured: "SKIPPED: not shown by this system", mark, met: undefined };
  }
  return { name, measured, mark, met: figure <= limit.mark };
}

/** A row without a mark. */
function plain(name: string, measured: string): Finding {
  return { name, measured, mark: "none", met: undefined };
}

function spread(values: readonly number[]): string {
  const range = `${Math.min(...values).toFixed(2)}..${Math.max(...values).toFixed(2)}`;
  return `${median(values).toFixed(2)} (${range})`;
}

function kilobytes(bytes: readonly number[]): string {
  return (median(bytes) / 1_024).toFixed(1);
}
