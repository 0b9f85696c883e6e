/**
 * Precision and recall of the gate that decides which requests are split into tasks, over labelled
 * requests in English and Chinese, and what it costs:
 *
 * ```sh
 * deno task eval:gate
 * ```
 *
 * The gate was tuned on the half `tuning`; `held_out` was labelled before and looked at only to count.
 *
 * @module
 */

import { judgeCompound } from "../../gateway/domain/orchestration/compound.ts";
import fixture from "../fixtures/compound_requests.json" with { type: "json" };

/** The decisions of the gate on some of the requests. */
export interface GateScore {
  readonly requests: number;
  /** Of those that were split, the share that should be. */
  readonly precision: number;
  /** Of those that should be split, the share that was. */
  readonly recall: number;
}

/** A part of the labelled requests; all of a half where no locale is given. */
export interface GatePart {
  readonly half: "tuning" | "held_out";
  readonly locale?: "en" | "zh" | undefined;
}

/** Judges a part of the labelled requests. */
export function evaluateGate({ half, locale }: GatePart): GateScore {
  const requests = fixture.requests.filter((request) =>
    request.half === half && (locale === undefined || request.locale === locale)
  );
  const split = requests.filter(({ text }) => judgeCompound(text).compound);
  const right = split.filter(({ compound }) => compound).length;
  const wanted = requests.filter(({ compound }) => compound).length;
  return {
    requests: requests.length,
    precision: split.length === 0 ? 0 : right / split.length,
    recall: wanted === 0 ? 0 : right / wanted,
  };
}

/** Microseconds that the judgement of a simple request takes, and of the longest text it reads. */
function costs(): { readonly simpleMicros: number; readonly longestMicros: number } {
  const simple = fixture.requests.filter(({ compound }) => !compound).map(({ text }) => text);
  const longest = simple.join(" ").repeat(4).slice(0, 100_000);
  return { simpleMicros: microsOf(simple), longestMicros: microsOf([longest]) };
}

function microsOf(texts: readonly string[]): number {
  const rounds = Math.ceil(2_000 / texts.length);
  for (const text of texts) judgeCompound(text);
  const startedMs = performance.now();
  for (let round = 0; round < rounds; round++) for (const text of texts) judgeCompound(text);
  return 1_000 * (performance.now() - startedMs) / (rounds * texts.length);
}

function main(): void {
  for (const half of ["tuning", "held_out"] as const) {
    for (const locale of [undefined, "en", "zh"] as const) {
      const { requests, precision, recall } = evaluateGate({ half, locale });
      const part = `${half} ${locale ?? "all"}`.padEnd(14);
      const figures = `precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}`;
      console.log(`${part} ${String(requests).padStart(3)} requests  ${figures}`);
    }
  }
  const { simpleMicros, longestMicros } = costs();
  console.log(`\na simple request costs ${simpleMicros.toFixed(1)} µs, of 200 allowed;`);
  console.log(`a text of 100 000 characters ${longestMicros.toFixed(1)} µs`);
}

if (import.meta.main) main();
