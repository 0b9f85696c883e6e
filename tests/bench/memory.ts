/**
 * Memory of a gateway under load: after some hundred thousand requests, and over as many as are asked
 * for.
 *
 * @module
 */

import type { LoadAmount, LoadRequest, LoadResult } from "./load.ts";
import { type Finding, memoryFindings, residentGrowthFinding } from "./marks.ts";
import { residentMegabytes } from "./process.ts";
import type { Generator } from "./request_path/generator.ts";
import { MANY } from "./request_path/path_marks.ts";

/** Steps of a soak, and the first of them that counts: what fills up once is full by then. */
const SOAK_STEPS = 20;
const SOAK_FIRST = 5;
/** A soak that takes longer has not shown what it should; nor has one whose step does not end. */
const SOAK_MS_MAX = 1_800_000;

/** The gateway, its load, and how long it lasts. */
export interface Loaded {
  readonly pid: number;
  readonly request: LoadRequest;
  readonly generator: Generator;
  /** Sends requests by the generator of this project. */
  readonly load: (request: LoadRequest, amount: LoadAmount) => Promise<LoadResult>;
  readonly memorySteps: number;
  readonly memoryStepRequests: number;
  readonly soakRequests: number;
  readonly say: (text: string) => void;
}

/** Measures memory after each of some steps. */
export async function memory(bench: Loaded): Promise<Finding[]> {
  const { memorySteps, memoryStepRequests: requests, say } = bench;
  const samples: (number | undefined)[] = [];
  for (let step = 1; step <= memorySteps; step++) {
    const amount = { connections: MANY, requests };
    await bench.generator.run(bench.request, amount);
    const resident = await residentMegabytes(bench.pid);
    samples.push(resident);
    say(`memory after ${step * requests} requests: ${resident?.toFixed(0) ?? "not shown"} MB`);
  }
  return memoryFindings(samples);
}

/** Checks that memory is where it was after as many requests as are asked for. */
export async function soak(bench: Loaded): Promise<Finding[]> {
  const { soakRequests, say } = bench;
  const samples: (number | undefined)[] = [];
  const requests = Math.ceil(soakRequests / SOAK_STEPS);
  const startedMs = performance.now();
  const leftSeconds = () => (startedMs + SOAK_MS_MAX - performance.now()) / 1_000;
  let sent = 0;
  while (sent < soakRequests && leftSeconds() > 0) {
    const amount = { connections: MANY, requests, seconds: leftSeconds() };
    const done = await within(
      leftSeconds() + 10,
      bench.load(bench.request, amount),
    );
    sent += done.requests;
    const resident = await residentMegabytes(bench.pid);
    samples.push(resident);
    const rate = (done.requests / done.seconds).toFixed(0);
    const megabytes = resident?.toFixed(0) ?? "not shown";
    say(`memory after ${sent} of ${soakRequests} requests, ${rate} a second: ${megabytes} MB`);
  }
  const whole: Finding = {
    name: "requests of the soak",
    measured: `${sent} in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s`,
    mark: `${soakRequests} in ${SOAK_MS_MAX / 1_000} s`,
    met: sent >= soakRequests,
  };
  const growth = residentGrowthFinding(`${sent} requests`, samples[SOAK_FIRST - 1], samples.at(-1));
  return [whole, growth];
}

/** Throws where that takes longer: an answer that never comes ends no measurement by itself. */
async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const error = new Error(`Cannot go on: a step took longer than ${seconds.toFixed(0)} s`);
    timer = setTimeout(() => reject(error), seconds * 1_000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
