import type { Finding } from "./marks.ts";

export type { Finding } from "./marks.ts";

/** Wallets that the marks are about; of other numbers the figures are reported. */
const MARKED = 100_000;
/** Time that a start takes longer than with ten wallets, in seconds, at most. */
const START_SECONDS_MAX = 2;
/** Memory beyond that with ten wallets, in megabytes, at most. */
const MEGABYTES_MAX = 60;
/** Median time of a call over that with ten wallets, at most. */
const P50_RATIO_MAX = 1.1;
/** Figures of a larger store over the same of the marked one, in units of its size, at most. */
const LINEAR_MAX = 1;
/** Differences that are too small to be growth, in seconds and megabytes. */
const START_SECONDS_NOISE = 0.5;
const MEGABYTES_NOISE = 20;
/** Any page of a list, in milliseconds, below. */
const PAGE_MS_MAX = 100;

/** The figures of a gateway on a store with so many wallets. */
export interface GrowthRun {
  readonly wallets: number;
  readonly startSeconds: number;
  readonly startCpuSeconds: number;
  /** Resident memory after calls with one key, in megabytes. */
  readonly restMegabytes: number;
  /** The same after calls with many keys, and lists. */
  readonly megabytes: number;
  readonly p50Ms: number;
  /** Median time of the first call with a key. */
  readonly coldMs: number;
  readonly pages: readonly { readonly path: string; readonly ms: number }[];
  /** The gateway with the fewest wallets, measured at the same time. */
  readonly beside?: GrowthRun | undefined;
}

/** Compares each run with the one beside it, and larger ones than the marked one with that. */
export function growthFindings(runs: readonly GrowthRun[]): Finding[] {
  const marked = runs.find(({ wallets }) => wallets === MARKED);
  return runs.flatMap((run) => {
    if (run.beside === undefined) return [fewestFinding(run)];
    const findings = findingsOf(run, run.beside);
    if (marked === undefined || run.wallets <= MARKED) return findings;
    return [...findings, linearFinding(run, marked)];
  });
}

function fewestFinding(run: GrowthRun): Finding {
  const pageMs = Math.max(...run.pages.map(({ ms }) => ms));
  return {
    name: `${run.wallets} wallets with keys`,
    measured: `start ${run.startSeconds.toFixed(2)} s, ${run.megabytes.toFixed(0)} MB, ` +
      `p50 ${run.p50Ms.toFixed(2)} ms, first call ${run.coldMs.toFixed(1)} ms, ` +
      `slowest page ${pageMs.toFixed(0)} ms`,
    mark: "reported",
    met: undefined,
  };
}

/** The growth of a run beyond that of the marked one, each beside the fewest wallets. */
function linearFinding(run: GrowthRun, marked: GrowthRun): Finding {
  const times = run.wallets / marked.wallets;
  const beyond = (of: (one: GrowthRun) => number, one: GrowthRun) =>
    of(one) - (one.beside === undefined ? 0 : of(one.beside));
  const over = (of: (one: GrowthRun) => number, noise: number) =>
    beyond(of, run) / (times * Math.max(noise, beyond(of, marked)));
  const start = over(({ startSeconds }) => startSeconds, START_SECONDS_NOISE);
  const memory = over(({ megabytes }) => megabytes, MEGABYTES_NOISE);
  return {
    name: `${run.wallets} wallets with keys: growth of start and memory, of linear`,
    measured: `${start.toFixed(2)}, ${memory.toFixed(2)}`,
    mark: `<= ${LINEAR_MAX}`,
    met: Math.max(start, memory) <= LINEAR_MAX,
  };
}

function findingsOf(run: GrowthRun, few: GrowthRun): Finding[] {
  const isMarked = run.wallets === MARKED;
  const finding = (name: string, measured: string, mark: string, isMet: boolean): Finding => ({
    name: `${run.wallets} wallets with keys: ${name}`,
    measured,
    mark: isMarked ? mark : "reported",
    met: isMarked ? isMet : undefined,
  });
  const startSeconds = run.startSeconds - few.startSeconds;
  const cpuSeconds = run.startCpuSeconds - few.startCpuSeconds;
  const megabytes = Math.max(run.megabytes - few.megabytes, run.restMegabytes - few.restMegabytes);
  const ratio = run.p50Ms / few.p50Ms;
  const pageMs = Math.max(...run.pages.map(({ ms }) => ms));
  return [
    finding(
      `start beyond that with ${few.wallets}`,
      `${startSeconds.toFixed(2)} s, ${cpuSeconds.toFixed(2)} s of CPU`,
      `<= ${START_SECONDS_MAX} s`,
      startSeconds <= START_SECONDS_MAX,
    ),
    finding(
      `memory beyond that with ${few.wallets}`,
      `${megabytes.toFixed(0)} MB`,
      `<= ${MEGABYTES_MAX} MB`,
      megabytes <= MEGABYTES_MAX,
    ),
    finding(
      `p50 of a call over that with ${few.wallets}`,
      ratio.toFixed(2),
      `<= ${P50_RATIO_MAX}`,
      ratio <= P50_RATIO_MAX,
    ),
    finding(
      "p50 of the first call with a key",
      `${run.coldMs.toFixed(1)} ms (${few.coldMs.toFixed(1)} with ${few.wallets})`,
      "reported",
      true,
    ),
    finding("slowest page", `${pageMs.toFixed(0)} ms`, `< ${PAGE_MS_MAX} ms`, pageMs < PAGE_MS_MAX),
  ];
}
