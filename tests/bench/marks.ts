/**
 * The conditions of a release, and the sentences about them. They are ratios wherever there is
 * something to compare with: absolute times belong to a machine.
 *
 * @module
 */

import { median } from "./load.ts";

/** Resident memory of the gateway under load, below. */
export const RESIDENT_MB_MAX = 150;
/** Memory counts as flat where its last sample is no more than this over its earlier ones. */
export const RESIDENT_GROWTH_MAX = 1.1;

/** Calls a second of 64 callers on one wallet, each a hold and its settlement, at least. */
export const LEDGER_CALLS_MIN = 10_000;
/** 99th percentile of one such hold or settlement, in milliseconds, below. */
export const LEDGER_P99_MS_MAX = 10;
/** Time to verify books of a million entries from the command line, in seconds, below. */
export const VERIFY_SECONDS_MAX = 30;
/** 99th percentile of small calls that are served meanwhile, in milliseconds, below. */
export const BUSY_P99_MS_MAX = 50;
/** Resident memory that verifying or exporting adds to what a gateway has, in megabytes, below. */
export const BOOKS_MB_MAX = 100;
/** Memory counts as flat under attack, and over a long run, where it grows by no more megabytes. */
export const ATTACKED_GROWTH_MB_MAX = 20;

/** Holds and settlements a second of several instances on one wallet in PostgreSQL, at least. */
export const INSTANCES_OPERATIONS_MIN = 10_000;
/** 99th percentile of one of these, in milliseconds, below. */
export const INSTANCES_P99_MS_MAX = 50;

/** Any page of the operator's API over a log of a million rows, in milliseconds, below. */
export const PAGE_MS_MAX = 300;
/** Median time that a look for one of many keys adds to that for the only one, in ms, at most. */
export const KEY_LOOKUP_ADDED_MS_MAX = 0.1;
/** Conditions of a gateway that does more than the one beside it, as ratios. */
export interface BesideMarks {
  /** Throughput, at least; not where `costMax` is measured, which is steadier. */
  readonly rateMin?: number;
  /** Processor time a request, at most. */
  readonly costMax?: number;
  /** 99th percentile of a request's time, at most. */
  readonly p99Max?: number;
}

/** Of a gateway that is watched. */
export const OBSERVED_MARKS: BesideMarks = { rateMin: 0.97 };
/** Of a gateway whose receivers of notifications are in trouble. */
export const NOTIFIED_MARKS: BesideMarks = { rateMin: 0.97, p99Max: 1.2 };
/** Of calls with eight tags, a user and a safety identifier. */
export const ATTRIBUTED_MARKS: BesideMarks = { rateMin: 0.98, costMax: 1.02 };

/** One row of the report. */
export interface Finding {
  readonly name: string;
  readonly measured: string;
  readonly mark: string;
  /** `undefined` where it could not be measured here. */
  readonly met: boolean | undefined;
}

/** The throughput of the callers of a ledger. */
export interface LedgerRate {
  /** A call is a hold and its settlement. */
  readonly callsPerSecond: number;
  /** Of a hold or a settlement, each for itself. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** One round with group commit and with one commit an operation. */
export interface LedgerRound {
  readonly grouped: LedgerRate;
  readonly single: LedgerRate;
}

/** The median round, and what group commit makes of it. */
export function ledgerFindings(rounds: readonly LedgerRound[]): Finding[] {
  const calls = median(rounds.map(({ grouped }) => grouped.callsPerSecond));
  const p99Ms = median(rounds.map(({ grouped }) => grouped.p99Ms));
  const faster = median(
    rounds.map(({ grouped, single }) => grouped.callsPerSecond / single.callsPerSecond),
  );
  const sooner = median(rounds.map(({ grouped, single }) => single.p99Ms / grouped.p99Ms));
  return [
    {
      name: "one wallet, 64 callers: hold and settle",
      measured: `${calls.toFixed(0)}/s (${faster.toFixed(1)} x one commit each)`,
      mark: `>= ${LEDGER_CALLS_MIN}/s`,
      met: calls >= LEDGER_CALLS_MIN,
    },
    {
      name: "one wallet, 64 callers: p99 of either",
      measured: `${p99Ms.toFixed(2)} ms (1/${sooner.toFixed(0)} of one commit each)`,
      mark: `< ${LEDGER_P99_MS_MAX} ms`,
      met: p99Ms < LEDGER_P99_MS_MAX,
    },
  ];
}

/** The throughput of several instances on one wallet. */
export interface WalletRate {
  /** Holds and settlements. */
  readonly operationsPerSecond: number;
  /** Of a hold or a settlement, each for itself. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Operations of one transaction, on average. */
  readonly batchSize: number;
}

/** The median round. */
export function instancesWalletFindings(
  rounds: readonly WalletRate[],
  { instances, callers }: { readonly instances: number; readonly callers: number },
): Finding[] {
  const middle = (read: (rate: WalletRate) => number) => median(rounds.map(read));
  const operations = middle((rate) => rate.operationsPerSecond);
  const p99Ms = middle((rate) => rate.p99Ms);
  const name = `PostgreSQL, one wallet, ${instances} instances, ${callers} callers`;
  return [
    {
      name: `${name}: holds and settlements`,
      measured: `${operations.toFixed(0)}/s (${
        middle((rate) => rate.batchSize).toFixed(0)
      } in a batch)`,
      mark: `>= ${INSTANCES_OPERATIONS_MIN}/s`,
      met: operations >= INSTANCES_OPERATIONS_MIN,
    },
    {
      name: `${name}: p99 of either`,
      measured: `${p99Ms.toFixed(1)} ms (p50 ${middle((rate) => rate.p50Ms).toFixed(1)} ms)`,
      mark: `< ${INSTANCES_P99_MS_MAX} ms`,
      met: p99Ms < INSTANCES_P99_MS_MAX,
    },
  ];
}

/** One command over the books of a running gateway. */
export interface BooksPass {
  readonly seconds: number;
  /** Most that the gateway had resident meanwhile; absent where the system does not show it. */
  readonly megabytes: number | undefined;
  /** Of small calls served meanwhile. */
  readonly p99Ms: number;
}

/** The times of verifying and exporting. */
export interface BooksRun {
  readonly entries: number;
  readonly restMegabytes: number | undefined;
  readonly restP99Ms: number;
  readonly verify: BooksPass;
  readonly export: BooksPass;
}

/**
 * Checks that books of a million entries are verified in time, and that other callers are served
 * meanwhile.
 */
export function booksFindings(run: BooksRun): Finding[] {
  const perMillion = run.verify.seconds * 1_000_000 / run.entries;
  const p99Ms = Math.max(run.verify.p99Ms, run.export.p99Ms);
  const most = Math.max(run.verify.megabytes ?? NaN, run.export.megabytes ?? NaN);
  const added = most - (run.restMegabytes ?? NaN);
  const memory = Number.isNaN(added) ? "SKIPPED: not shown by this system" : undefined;
  return [
    {
      name: "svc ledger verify, a million entries",
      measured: `${perMillion.toFixed(1)} s (${run.entries} in ${run.verify.seconds.toFixed(1)} s)`,
      mark: `< ${VERIFY_SECONDS_MAX} s`,
      met: perMillion < VERIFY_SECONDS_MAX,
    },
    {
      name: "small calls meanwhile, p99",
      measured: `${p99Ms.toFixed(1)} ms (${run.restP99Ms.toFixed(1)} at rest)`,
      mark: `< ${BUSY_P99_MS_MAX} ms`,
      met: p99Ms < BUSY_P99_MS_MAX,
    },
    {
      name: "memory that it adds",
      measured: memory ?? `${added.toFixed(0)} MB`,
      mark: `< ${BOOKS_MB_MAX} MB`,
      met: memory === undefined ? added < BOOKS_MB_MAX : undefined,
    },
  ];
}

/** Checks the time of one kind of page: every load of it counts. */
export function pageFinding(name: string, times: readonly number[]): Finding {
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? NaN;
  const most = sorted.at(-1) ?? NaN;
  return {
    name,
    measured: `p50 ${at(0.5).toFixed(0)}, p99 ${at(0.99).toFixed(0)}, most ${most.toFixed(0)} ms`,
    mark: `< ${PAGE_MS_MAX} ms`,
    met: most < PAGE_MS_MAX,
  };
}

/** The times of looks for keys. */
export interface KeyLookups {
  readonly keys: number;
  readonly many: { readonly p50Ms: number; readonly p99Ms: number };
  readonly one: { readonly p50Ms: number; readonly p99Ms: number };
}

/** Checks that a look for a key takes as long among many keys as for the only one. */
export function keyLookupFindings({ keys, many, one }: KeyLookups): Finding[] {
  const addedMs = many.p50Ms - one.p50Ms;
  return [{
    name: `PostgreSQL, key lookup past memory: added by ${keys} keys, p50`,
    measured:
      `${addedMs.toFixed(2)} ms (${many.p50Ms.toFixed(2)}, 1 key ${one.p50Ms.toFixed(2)}; p99 ` +
      `${many.p99Ms.toFixed(2)} and ${one.p99Ms.toFixed(2)})`,
    mark: `<= ${KEY_LOOKUP_ADDED_MS_MAX} ms`,
    met: addedMs <= KEY_LOOKUP_ADDED_MS_MAX,
  }];
}

/** Checks that memory is small and stays so. `samples` are megabytes, at equal steps of the load. */
export function memoryFindings(samples: readonly (number | undefined)[]): Finding[] {
  const name = "resident memory under load";
  const mark = `< ${RESIDENT_MB_MAX} MB`;
  const flatMark = `last / earlier <= ${RESIDENT_GROWTH_MAX}`;
  const known = samples.filter((sample) => sample !== undefined);
  const last = known.at(-1);
  if (last === undefined || known.length < samples.length) {
    const measured = "SKIPPED: not shown by this system";
    return [{ name, measured, mark, met: undefined }];
  }
  const largest = Math.max(...known);
  const growth = last / median(known.slice(0, -1));
  return [
    { name, measured: `${largest.toFixed(0)} MB`, mark, met: largest < RESIDENT_MB_MAX },
    {
      name: "resident memory, growth",
      measured: growth.toFixed(2),
      mark: flatMark,
      met: growth <= RESIDENT_GROWTH_MAX,
    },
  ];
}

/** Checks that memory stays flat. Megabytes before, and meanwhile or after. */
export function residentGrowthFinding(
  what: string,
  before: number | undefined,
  after: number | undefined,
): Finding {
  const isKnown = before !== undefined && after !== undefined;
  return {
    name: `memory added by ${what}`,
    measured: isKnown
      ? `${(after - before).toFixed(0)} MB (${before.toFixed(0)} to ${after.toFixed(0)})`
      : "SKIPPED: not shown by this system",
    mark: `<= ${ATTACKED_GROWTH_MB_MAX} MB`,
    met: isKnown ? after - before <= ATTACKED_GROWTH_MB_MAX : undefined,
  };
}

/** A gateway, round by round, relative to the same round of the one it is compared with. */
export interface BesideWay {
  readonly name: string;
  /** Name of the other one. */
  readonly beside: string;
  /** Throughput. */
  readonly rates: readonly number[];
  /** Processor time that the gateway took for a request; none where the system does not show it. */
  readonly costs: readonly number[];
  /** Median time of a request. */
  readonly p50s: readonly number[];
  /** 99th percentile of it. */
  readonly p99s: readonly number[];
  readonly marks: BesideMarks;
}

/** The medians of the rounds' ratios. */
export function besideFindings(way: BesideWay): Finding[] {
  const { costs, rates, p50s, p99s, marks: { rateMin, costMax, p99Max } } = way;
  const hasCost = costMax !== undefined && costs.length > 0;
  return [
    ratioFinding("throughput", way, { ratios: rates, min: hasCost ? undefined : rateMin }),
    ratioFinding("processor time", way, { ratios: costs, max: costMax }),
    ratioFinding("time of a request, p50,", way, { ratios: p50s }),
    ratioFinding("time of a request, p99,", way, { ratios: p99s, max: p99Max }),
  ];
}

function ratioFinding(
  what: string,
  { name, beside }: BesideWay,
  { ratios, min, max }: {
    readonly ratios: readonly number[];
    readonly min?: number | undefined;
    readonly max?: number | undefined;
  },
): Finding {
  const ratio = median(ratios);
  const range = `${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)}`;
  const isMarked = ratios.length > 0 && (min !== undefined || max !== undefined);
  return {
    name: `${what} with ${name} / ${beside}`,
    measured: ratios.length === 0 ? "not shown by this system" : `${ratio.toFixed(3)} (${range})`,
    mark: min !== undefined ? `>= ${min}` : max !== undefined ? `<= ${max}` : "none",
    met: isMarked ? ratio >= (min ?? -Infinity) && ratio <= (max ?? Infinity) : undefined,
  };
}

/** The findings as a table. */
export function table(findings: readonly Finding[]): string {
  const verdict = ({ met }: Finding) => met === undefined ? "skipped" : met ? "met" : "MISSED";
  const rows = [
    ["", "measured", "mark", ""],
    ...findings.map((finding) => [finding.name, finding.measured, finding.mark, verdict(finding)]),
  ];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join("  ").trimEnd())
    .join("\n");
}
