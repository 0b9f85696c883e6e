/**
 * Measures the path of a request beside the bare forwarder: short rounds of either side in turn, so
 * that whatever else the machine does falls on both.
 *
 * @module
 */

import type { LoadAmount, LoadRequest } from "../load.ts";
import type { Finding } from "../marks.ts";
import type { TimedPairs } from "../commit_process.ts";
import { asTask, expectLine, type Running, start } from "../process.ts";
import { type Cost, costOf } from "./counters.ts";
import { GarbageCount, TRACE_FLAG } from "./garbage.ts";
import type { Generator } from "./generator.ts";
import {
  type CommitPairs,
  garbageFindings,
  type GarbageLoad,
  loadFindings,
  MANY,
  type PairedRound,
  pauseFindings,
  SINGLE,
  singleFindings,
  type SingleRound,
} from "./path_marks.ts";

/** The processes of a comparison, and its duration. */
export interface Comparison {
  readonly generator: Generator;
  readonly bare: Side;
  readonly gateway: Side;
  readonly folder: string;
  /**
   * JSON requests before the first round: until then V8 still compiles the path. The gateway's
   * processor time a request falls by a quarter from the first 10 000 to 30 000, and no further.
   */
  readonly warmUpRequests: number;
  readonly rounds: number;
  readonly roundSeconds: number;
  requestTo(url: string, stream: boolean): LoadRequest;
  say(text: string): void;
}

/** JSON requests of a warm-up for one stream: a stream runs the same code many times. */
const REQUESTS_PER_STREAM = 5;
/** Longest warm-up, in seconds. */
const WARM_UP_SECONDS_MAX = 60;

/** One of the compared processes. */
export interface Side {
  readonly url: string;
  readonly pid: number;
}

/** Throughput and processor time at 32 connections. */
export async function manyConnections(
  comparison: Comparison,
  stream: boolean,
): Promise<Finding[]> {
  const name = stream ? "stream" : "JSON";
  const { rounds, say } = comparison;
  await warmUp(comparison, stream);
  const measured: PairedRound[] = [];
  for (let round = 1; round <= rounds; round++) {
    measured.push(await pair(comparison, { stream, connections: MANY }));
    say(`${name}, ${MANY} connections, round ${round} of ${rounds}: ${shown(measured.at(-1))}`);
  }
  return loadFindings(name, measured);
}

/** Time, processor time and bytes on disk of a single caller, beside two commits of one row. */
export async function singleConnection(
  comparison: Comparison,
  stream: boolean,
): Promise<Finding[]> {
  const name = stream ? "stream" : "JSON";
  const { rounds, roundSeconds, folder, say } = comparison;
  await using commits = start("tests/bench/commit_process.ts", [folder], await asTask());
  await expectLine(commits, /^ready$/);
  await warmUp(comparison, stream);
  const measured: SingleRound[] = [];
  for (let round = 1; round <= rounds; round++) {
    const paired = await pair(comparison, { stream, connections: SINGLE });
    const twoCommits = await commitPairs(commits, roundSeconds / 2);
    measured.push({ ...paired, twoCommits });
    const { p50Ms, diskBytes } = twoCommits;
    say(
      `${name}, one connection, round ${round} of ${rounds}: ${shown(paired)}; two commits: ` +
        `p50 ${p50Ms.toFixed(2)} ms, ${kilobytes(diskBytes)} written`,
    );
  }
  return singleFindings(name, measured);
}

/** V8's memory reducer, where it is on, runs after 8 and again after 30 seconds of little work. */
const PAUSE_SECONDS = 45;

/** Processor time of a JSON request after a pause, beside that before it. */
export async function afterPause(comparison: Comparison): Promise<Finding[]> {
  const { generator, gateway, rounds, roundSeconds: seconds, requestTo, say } = comparison;
  const load = { request: requestTo(gateway.url, false), amount: { connections: MANY, seconds } };
  const measure = async (when: string) => {
    const micros: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      const { cpuMicros } = await costOf(generator, gateway.pid, load);
      micros.push(cpuMicros);
      say(`${when} a pause, round ${round} of ${rounds}: ${cpuMicros.toFixed(0)} us of CPU`);
    }
    return micros;
  };
  await warmUp(comparison, false);
  const before = await measure("before");
  await new Promise((resolve) => setTimeout(resolve, PAUSE_SECONDS * 1_000));
  return pauseFindings({ before, after: await measure("after") });
}

/** Requests whose garbage is counted, and the share of a warm-up's requests that is sent of each. */
const GARBAGE_LOADS: readonly (GarbageLoad & { readonly share: number })[] = [
  { stream: false, connections: MANY, share: 2 },
  { stream: true, connections: MANY, share: 0.4 },
  { stream: false, connections: SINGLE, share: 0.4 },
  { stream: true, connections: SINGLE, share: 0.2 },
];

/** Bytes on the heap a request, of processes that say when they collect. */
export async function garbage(
  comparison: Comparison,
  startTraced: (program: "gateway" | "forwarder", flag: string) => Promise<TracedSide>,
): Promise<Finding[]> {
  const { generator, warmUpRequests, say } = comparison;
  const perRequest = async (program: "gateway" | "forwarder") => {
    const count = new GarbageCount();
    const bytes: number[] = [];
    let following: Promise<void>;
    {
      await using side = await startTraced(program, TRACE_FLAG);
      following = count.follow(side.running.lines());
      await generator.run(comparison.requestTo(side.url, false), warmUpAmount(warmUpRequests));
      for (const { stream, connections, share } of GARBAGE_LOADS) {
        const before = count.bytes;
        // Many requests: the trace comes in blocks.
        const amount = { ...warmUpAmount(share * warmUpRequests), connections };
        const { requests } = await generator.run(comparison.requestTo(side.url, stream), amount);
        bytes.push((count.bytes - before) / requests);
      }
    }
    await following;
    say(`garbage of the ${program}: ${bytes.map(kilobytes).join(", ")} a request`);
    return bytes;
  };
  const [gateway, bare] = [await perRequest("gateway"), await perRequest("forwarder")];
  return GARBAGE_LOADS.flatMap((load, at) =>
    garbageFindings(load, { gateway: gateway[at] ?? NaN, bare: bare[at] ?? NaN })
  );
}

/** A process that traces its collections; disposing it ends it. */
export interface TracedSide extends AsyncDisposable {
  readonly running: Running;
  readonly url: string;
}

function warmUpAmount(requests: number): LoadAmount {
  return { connections: MANY, requests, seconds: WARM_UP_SECONDS_MAX };
}

async function warmUp(comparison: Comparison, stream: boolean): Promise<void> {
  const { generator, bare, gateway, requestTo, warmUpRequests } = comparison;
  const amount = warmUpAmount(stream ? warmUpRequests / REQUESTS_PER_STREAM : warmUpRequests);
  await generator.run(requestTo(bare.url, stream), amount);
  await generator.run(requestTo(gateway.url, stream), amount);
}

async function pair(
  comparison: Comparison,
  kind: { readonly stream: boolean; readonly connections: number },
): Promise<PairedRound> {
  const { generator, requestTo, roundSeconds: seconds } = comparison;
  const amount = { connections: kind.connections, seconds };
  const cost = ({ url, pid }: Side) =>
    costOf(generator, pid, { request: requestTo(url, kind.stream), amount });
  const bare = await cost(comparison.bare);
  return { bare, gateway: await cost(comparison.gateway) };
}

async function commitPairs(commits: Running, seconds: number): Promise<CommitPairs> {
  // The process is counted as the sides of the comparison are: its orders are its requests.
  return await costOf(
    {
      name: "commits",
      async run() {
        await commits.say(`${seconds}`);
        const { pairs, p50Ms, p99Ms }: TimedPairs = JSON.parse(await commits.line());
        return { requests: pairs, seconds, p50Ms, p99Ms };
      },
    },
    commits.pid,
    { request: NO_REQUEST, amount: { connections: 1, seconds } },
  );
}

const NO_REQUEST: LoadRequest = { url: "", headers: {}, body: "", stream: false };

function shown(round: PairedRound | undefined): string {
  if (round === undefined) return "";
  const side = ({ rate, cpuMicros, diskBytes, p50Ms, p99Ms }: Cost) =>
    `${rate.toFixed(0)}/s, ${cpuMicros.toFixed(0)} us of CPU, p50 ${p50Ms.toFixed(2)}, ` +
    `p99 ${p99Ms.toFixed(1)} ms, ${kilobytes(diskBytes)} written`;
  const times = (round.gateway.cpuMicros / round.bare.cpuMicros).toFixed(1);
  return `gateway ${side(round.gateway)}; bare ${side(round.bare)}; ${times} x CPU`;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1_024).toFixed(1)} KB`;
}
