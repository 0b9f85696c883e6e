/**
 * Counts what a process takes while a load runs: processor time and bytes written.
 *
 * @module
 */

import type { LoadAmount, LoadRequest, LoadResult } from "../load.ts";
import { processorSeconds, writtenBytes } from "../process.ts";
import type { Generator } from "./generator.ts";

/** Of one load; a figure is `NaN` where the system does not show it. */
export interface Cost extends LoadResult {
  /** Requests a second. */
  readonly rate: number;
  /** Processor time of the process and all its threads, in microseconds a request. */
  readonly cpuMicros: number;
  /** Bytes that the process had written to disk, a request. */
  readonly diskBytes: number;
}

/** Loads one process and counts what it takes. */
export async function costOf(
  generator: Generator,
  pid: number,
  load: { readonly request: LoadRequest; readonly amount: LoadAmount },
): Promise<Cost> {
  const before = await counted(pid);
  const result = await generator.run(load.request, load.amount);
  const after = await counted(pid);
  return {
    ...result,
    rate: result.requests / result.seconds,
    cpuMicros: (after.seconds - before.seconds) * 1_000_000 / result.requests,
    diskBytes: (after.bytes - before.bytes) / result.requests,
  };
}

async function counted(pid: number): Promise<{ seconds: number; bytes: number }> {
  const [seconds, bytes] = await Promise.all([processorSeconds(pid), writtenBytes(pid)]);
  return { seconds: seconds ?? NaN, bytes: bytes ?? NaN };
}
