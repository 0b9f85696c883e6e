/**
 * Measures open streams at the pace of a model: processor time a chunk, memory a stream, and the time
 * that a chunk is under way, beside the bare forwarder's.
 *
 * @module
 */

import { join } from "@std/path";
import { configuration } from "../configuration.ts";
import type { LoadRequest } from "../load.ts";
import type { Finding } from "../marks.ts";
import {
  asTask,
  expectLine,
  processorSeconds,
  residentMegabytes,
  type Running,
  start,
} from "../process.ts";
import type { PacedDelays, PacedOrder } from "./paced_process.ts";

/** Chunks a second of all streams together, however many there are. */
const CHUNKS_PER_SECOND = 4_000;
/** The upstream's pause, and the collector's, before memory is read. */
const SETTLE_MS = 1_000;

/** The processes of a measurement, and its duration. */
export interface Paced {
  readonly folder: string;
  readonly upstreamUrl: string;
  readonly key: string;
  readonly seconds: number;
  /** A streamed request that asks for chunks at this pace. */
  pacedRequest(url: string, everyMs: number): LoadRequest;
  say(text: string): void;
}

interface PacedCost extends PacedDelays {
  readonly cpuMicros: number;
  readonly kilobytes: number;
}

/** Measures so many open streams, through processes that nothing else has used. */
export async function pacedStreams(paced: Paced, streams: number): Promise<Finding[]> {
  const { folder, upstreamUrl, key, say } = paced;
  const config = join(folder, `paced-${streams}.json`);
  const inFlight = { maxInFlight: 2 * streams };
  await Deno.writeTextFile(config, configuration(upstreamUrl, "openai-compatible", inFlight));
  await using forwarder = start("tests/bench/forwarder_process.ts", [upstreamUrl]);
  await using gateway = start("gateway/main.ts", [
    "serve",
    ...["--port", "0", "--admin-port", "0", "--config", config, "--bootstrap-key", key],
    ...["--kv-path", join(folder, `paced-${streams}.kv`)],
  ], await asTask());
  await using client = start("tests/bench/request_path/paced_process.ts");
  await expectLine(client, /^ready$/);
  const bareUrl = await expectLine(forwarder, /^http:\S+/);
  const gatewayUrl = await expectLine(gateway, /^ +public +(http:\S+)/);
  const measure = async (name: string, running: Running, url: string) => {
    const cost = await openStreams(paced, { client, running, url, streams });
    say(`${streams} paced streams, ${name}: ${shown(cost)}`);
    return cost;
  };
  const bare = await measure("bare", forwarder, bareUrl);
  return findings(streams, { bare, gateway: await measure("gateway", gateway, gatewayUrl) });
}

async function openStreams(
  paced: Paced,
  { client, running, url, streams }: {
    readonly client: Running;
    readonly running: Running;
    readonly url: string;
    readonly streams: number;
  },
): Promise<PacedCost> {
  const everyMs = streams * 1_000 / CHUNKS_PER_SECOND;
  const request = paced.pacedRequest(url, everyMs);
  const restMegabytes = await residentMegabytes(running.pid);
  await client.say(JSON.stringify({ request, everyMs, streams } satisfies PacedOrder));
  await expectLine(client, /^open$/);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const before = await processorSeconds(running.pid);
  await client.say(`${paced.seconds}`);
  const delays: PacedDelays = JSON.parse(await client.line());
  const after = await processorSeconds(running.pid);
  const megabytes = await residentMegabytes(running.pid);
  await expectLine(client, /^closed$/);
  return {
    ...delays,
    cpuMicros: ((after ?? NaN) - (before ?? NaN)) * 1_000_000 / delays.chunks,
    kilobytes: ((megabytes ?? NaN) - (restMegabytes ?? NaN)) * 1_024 / streams,
  };
}

function findings(
  streams: number,
  { bare, gateway }: { readonly bare: PacedCost; readonly gateway: PacedCost },
): Finding[] {
  const row = (name: string, measured: string): Finding => ({
    name: `${streams} paced streams: ${name}`,
    measured,
    mark: "none",
    met: undefined,
  });
  const times = (gateway.cpuMicros / bare.cpuMicros).toFixed(2);
  const added = (figure: (cost: PacedCost) => number) =>
    `${(figure(gateway) - figure(bare)).toFixed(2)} ms (bare ${figure(bare).toFixed(2)})`;
  return [
    row("CPU a chunk, gateway / bare", `${times} x (${gateway.cpuMicros.toFixed(0)} us)`),
    row("added to a chunk, p50", added(({ p50Ms }) => p50Ms)),
    row("added to a chunk, p99", added(({ p99Ms }) => p99Ms)),
    row(
      "memory a stream",
      `${gateway.kilobytes.toFixed(0)} KB (bare ${bare.kilobytes.toFixed(0)})`,
    ),
  ];
}

function shown({ chunks, p50Ms, p99Ms, cpuMicros, kilobytes }: PacedCost): string {
  return `${chunks} chunks, ${cpuMicros.toFixed(0)} us of CPU a chunk, p50 ${p50Ms.toFixed(2)}, ` +
    `p99 ${p99Ms.toFixed(1)} ms, ${kilobytes.toFixed(0)} KB a stream`;
}
