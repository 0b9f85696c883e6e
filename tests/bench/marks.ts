/**
 * What must hold, and the words for whether it does. Ratios only: absolute times belong to a machine.
 *
 * @module
 */

import { median } from "./load.ts";

/** The gateway's throughput over the bare forwarder's, at least. */
export const THROUGHPUT_RATIO_MIN = 0.5;
/** Median time that the gateway adds at one connection beyond two durable commits, below. */
export const ADDED_P50_MS_MAX = 1;
/** Resident memory of the gateway under load, below. */
export const RESIDENT_MB_MAX = 150;
/** Memory counts as flat where its last sample is no more than this over its earlier ones. */
export const RESIDENT_GROWTH_MAX = 1.1;

/** One row of the report. */
export interface Finding {
  readonly name: string;
  readonly measured: string;
  readonly mark: string;
  /** `undefined` where it could not be measured here. */
  readonly met: boolean | undefined;
}

/** Throughput in requests a second of both sides in one round. */
export interface Round {
  readonly bare: number;
  readonly gateway: number;
}

/** The median of the rounds' own ratios: what one round suffers, both sides suffer. */
export function throughputFinding(name: string, rounds: readonly Round[]): Finding {
  const ratios = rounds.map(({ bare, gateway }) => gateway / bare);
  const ratio = median(ratios);
  const range = `${Math.min(...ratios).toFixed(2)}..${Math.max(...ratios).toFixed(2)}`;
  return {
    name: `${name} throughput, gateway / bare`,
    measured: `${ratio.toFixed(2)} (${range})`,
    mark: `>= ${THROUGHPUT_RATIO_MIN}`,
    met: ratio >= THROUGHPUT_RATIO_MIN,
  };
}

/** Median times at one connection, and of one durable commit on the same disk, in milliseconds. */
export interface Latency {
  readonly bareMs: number;
  readonly gatewayMs: number;
  readonly commitMs: number;
}

/** What the gateway adds to a request, beyond the commits of its hold and its settlement. */
export function latencyFinding(name: string, rounds: readonly Latency[]): Finding {
  const added = median(rounds.map(({ bareMs, gatewayMs }) => gatewayMs - bareMs));
  const commits = 2 * median(rounds.map(({ commitMs }) => commitMs));
  const beyond = added - commits;
  return {
    name: `${name} added p50 beyond two commits`,
    measured: `${beyond.toFixed(2)} ms (${added.toFixed(2)} - ${commits.toFixed(2)})`,
    mark: `< ${ADDED_P50_MS_MAX} ms`,
    met: beyond < ADDED_P50_MS_MAX,
  };
}

/** Whether memory is small and stays so. `samples` are megabytes, at equal steps of the load. */
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
