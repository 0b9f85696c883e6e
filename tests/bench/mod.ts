/**
 * Measures the gateway against a bare forwarder, side by side in one run: both in front of the same
 * upstream, each part a process of its own on loopback. Exits 1 where a mark is missed.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { join } from "@std/path";
import { attribution } from "./attribution.ts";
import { growth } from "./growth.ts";
import { books } from "./books.ts";
import { attacks } from "./attacks.ts";
import { commitMs } from "./commit.ts";
import {
  afterPause,
  type Comparison,
  garbage,
  manyConnections,
  singleConnection,
  type TracedSide,
} from "./request_path/comparison.ts";
import { createLimitedKey, machineLine } from "./request_path/setting.ts";
import { findGenerator, type Generator } from "./request_path/generator.ts";
import { type Paced, pacedStreams } from "./request_path/paced.ts";
import { configuration } from "./configuration.ts";
import { instances } from "./instances/instances.ts";
import { instancesWallet } from "./instances/wallet.ts";
import type { LoadAmount, LoadRequest, LoadResult } from "./load.ts";
import type { LoadOrder } from "./load_process.ts";
import { type Finding, table } from "./marks.ts";
import { type Loaded, memory, soak } from "./memory.ts";
import { notified } from "./notified.ts";
import { type Observed, observed } from "./observed.ts";
import { oneWallet } from "./one_wallet.ts";
import { asTask, expectLine, residentMegabytes, type Running, start } from "./process.ts";
import { postgresLog } from "./postgres_log/postgres_log.ts";
import { refusalTime } from "./refusal_time.ts";
import { sdkCost } from "./sdk_cost.ts";
import { translation } from "./translation.ts";
import { routingCost } from "./routing_cost/routing_cost.ts";
import { requestLog } from "./request_log.ts";
import { streamMemory } from "./stream_memory.ts";

const KEY = "svc_bench_key_of_no_worth_0123456789";
const ADMIN_TOKEN = "bench-admin-token-of-no-worth";
const PATH = "/openai/v1/chat/completions";

/** The duration of a measurement. */
interface Extent {
  readonly warmUpSeconds: number;
  readonly warmUpRequests: number;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly latencySeconds: number;
  readonly pacedSeconds: number;
  readonly memorySteps: number;
  readonly memoryStepRequests: number;
  readonly refusalSamples: number;
  readonly bookEntries: number;
  readonly soakRequests: number;
  readonly logRows: number;
  /** Numbers of wallets, the fewest first. */
  readonly wallets: readonly number[];
}

const FULL: Extent = {
  warmUpSeconds: 3,
  warmUpRequests: 30_000,
  rounds: 5,
  roundSeconds: 3,
  latencySeconds: 2,
  pacedSeconds: 10,
  memorySteps: 5,
  memoryStepRequests: 20_000,
  refusalSamples: 20_000,
  bookEntries: 1_000_000,
  soakRequests: 1_000_000,
  logRows: 1_000_000,
  wallets: [10, 10_000, 100_000],
};
const QUICK: Extent = {
  warmUpSeconds: 1.5,
  warmUpRequests: 10_000,
  rounds: 3,
  roundSeconds: 1.5,
  latencySeconds: 0.7,
  pacedSeconds: 5,
  memorySteps: 5,
  memoryStepRequests: 4_000,
  refusalSamples: 4_000,
  bookEntries: 1_000_000,
  soakRequests: 100_000,
  logRows: 1_000_000,
  wallets: [10, 10_000, 100_000],
};

/** The measured services and their tools. */
interface Bench {
  readonly extent: Extent;
  readonly folder: string;
  readonly load: Running;
  readonly generator: Generator;
  readonly upstreamUrl: string;
  readonly forwarder: Running;
  readonly gateway: Running;
  readonly bareUrl: string;
  readonly gatewayUrl: string;
  /** Key with limits, for the comparison with the forwarder. */
  readonly limitedKey: string;
}

const PARTS = {
  json: (bench: Bench) => manyConnections(comparison(bench), false),
  stream: (bench: Bench) => manyConnections(comparison(bench), true),
  single: (bench: Bench) => singleConnection(comparison(bench), false),
  pause: (bench: Bench) => afterPause(comparison(bench)),
  "single-stream": (bench: Bench) => singleConnection(comparison(bench), true),
  garbage: (bench: Bench) =>
    garbage(
      { ...comparison(bench), requestTo },
      (program, flag) => startTraced(bench, program, flag),
    ),
  paced: (bench: Bench) => pacedStreams(paced(bench), 200),
  "many-streams": async (bench: Bench) => [
    ...await pacedStreams(paced(bench), 1_000),
    ...await pacedStreams(paced(bench), 5_000),
  ],
  memory: (bench: Bench) => memory(loaded(bench)),
  responses: (bench: Bench) =>
    translation({
      ...bench.extent,
      gatewayUrl: bench.gatewayUrl,
      key: KEY,
      load: (request, amount) => load(bench, request, amount),
      commitMs: (seconds) => commitMs(bench.folder, seconds),
      say,
    }),
  "stream-memory": (bench: Bench) => streamMemory({ ...bench.extent, key: KEY, say }),
  sdk: (bench: Bench) => sdkCost({ ...bench.extent, say }),
  refusals: (bench: Bench) =>
    refusalTime({ folder: bench.folder, samples: bench.extent.refusalSamples, say }),
  routing: ({ extent }: Bench) => routingCost({ samples: extent.refusalSamples, say }),
  "one-wallet": (bench: Bench) => oneWallet({ ...bench.extent, folder: bench.folder, say }),
  instances: ({ extent, gateway, gatewayUrl, folder }: Bench) =>
    instances({
      ...extent,
      file: { url: gatewayUrl, pid: gateway.pid },
      folder,
      requestTo,
      key: KEY,
      say,
    }),
  "instances-wallet": ({ extent }: Bench) => instancesWallet({ ...extent, say }),
  "postgres-log": ({ extent }: Bench) => postgresLog({ ...extent, say }),
  books: (bench: Bench) => books({ ...bench.extent, folder: bench.folder, say }),
  log: (bench: Bench) => requestLog({ ...bench.extent, folder: bench.folder, say }),
  attacks: (bench: Bench) => attacks({ ...bench.extent, key: KEY, say }),
  observed: (bench: Bench) => observed(sideBySide(bench)),
  notified: (bench: Bench) => notified(sideBySide(bench)),
  attribution: (bench: Bench) => attribution(sideBySide(bench)),
  growth: (bench: Bench) =>
    growth({
      ...bench.extent,
      folder: bench.folder,
      config: join(bench.folder, "svc.json"),
      requestTo: (url) => requestTo(url, false),
      load: (request, amount) => load(bench, request, amount),
      say,
    }),
  soak: (bench: Bench) => soak(loaded(bench)),
};
/** Takes long: measured where it is asked for alone. */
const ON_DEMAND: readonly string[] = [
  ...["soak", "log", "growth", "many-streams"],
  ...["instances", "instances-wallet", "postgres-log"],
];
function say(text: string): void {
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** One request of each kind, to either side. */
function requestTo(url: string, stream: boolean, key: string = KEY): LoadRequest {
  const body = {
    model: "auto",
    messages: [
      { role: "system", content: "You are a terse assistant that answers in one sentence." },
      { role: "user", content: "What does a gateway between applications and models do?" },
    ],
    temperature: 0.2,
    max_completion_tokens: 200,
    ...(stream ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
  const headers = { authorization: `Bearer ${key}` };
  return { url: url + PATH, headers, body: JSON.stringify(body), stream };
}

async function load(
  bench: Pick<Bench, "load">,
  request: LoadRequest,
  amount: LoadAmount,
): Promise<LoadResult> {
  await bench.load.say(JSON.stringify({ request, amount } satisfies LoadOrder));
  return JSON.parse(await bench.load.line()) as LoadResult;
}

function comparison(bench: Bench): Comparison {
  const { generator, forwarder, gateway, bareUrl, gatewayUrl, folder, extent, limitedKey } = bench;
  return {
    ...extent,
    generator,
    folder,
    bare: { url: bareUrl, pid: forwarder.pid },
    gateway: { url: gatewayUrl, pid: gateway.pid },
    requestTo: (url, stream) => requestTo(url, stream, limitedKey),
    say,
  };
}

function loaded(bench: Bench): Loaded {
  const { extent, gateway, gatewayUrl, generator } = bench;
  return {
    ...extent,
    pid: gateway.pid,
    request: requestTo(gatewayUrl, false),
    generator,
    load: (request, amount) => load(bench, request, amount),
    say,
  };
}

/** Gateways of their own, under one load. */
function sideBySide(bench: Bench): Observed {
  return {
    ...bench.extent,
    folder: bench.folder,
    key: KEY,
    requestTo: (url) => requestTo(url, false),
    load: (request, amount) => load(bench, request, amount),
    say,
  };
}

function paced({ folder, upstreamUrl, extent }: Bench): Paced {
  return {
    folder,
    upstreamUrl,
    key: KEY,
    seconds: extent.pacedSeconds,
    pacedRequest(url, everyMs) {
      const request = requestTo(url, true);
      // The hold must pay for every chunk that comes while the streams are open.
      const longer = { chunk_every_ms: everyMs, max_completion_tokens: 16_000 };
      return { ...request, body: JSON.stringify({ ...JSON.parse(request.body), ...longer }) };
    },
    say,
  };
}

/** Processes of their own: the measured ones print nothing. */
async function startTraced(
  { folder, upstreamUrl }: Bench,
  program: "gateway" | "forwarder",
  flag: string,
): Promise<TracedSide> {
  const running = program === "gateway"
    ? await startGateway(folder, upstreamUrl, { name: "traced", flag })
    : start("tests/bench/forwarder_process.ts", [upstreamUrl], { flags: [`--v8-flags=${flag}`] });
  const address = program === "gateway" ? /^ +public +(http:\S+)/ : /^(http:\S+)/;
  const url = await expectLine(running, address);
  return { running, url, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}

/** `name`: of its store. `flag`: of V8, beside those of the task. */
async function startGateway(
  folder: string,
  upstreamUrl: string,
  { name = "svc", flag = "" } = {},
): Promise<Running> {
  const config = join(folder, "svc.json");
  await Deno.writeTextFile(config, configuration(upstreamUrl));
  const { flags, env } = await asTask();
  return start("gateway/main.ts", [
    "serve",
    ...["--port", "0", "--admin-port", "0", "--config", config],
    ...["--kv-path", join(folder, `${name}.kv`), "--bootstrap-key", KEY],
  ], {
    flags: flag === "" ? flags : flags.map((given) => `${given},${flag}`),
    env: { ...env, SERVICE_ADMIN_TOKEN: ADMIN_TOKEN },
  });
}

/** Starts everything, measures, ends everything. */
async function run(extent: Extent, parts: readonly (keyof typeof PARTS)[]): Promise<Finding[]> {
  const folder = await Deno.makeTempDir({ prefix: "svc_bench_" });
  try {
    await using upstream = start("tests/bench/upstream_process.ts");
    const upstreamUrl = await expectLine(upstream, /^http:\S+/);
    await using forwarder = start("tests/bench/forwarder_process.ts", [upstreamUrl]);
    await using gateway = await startGateway(folder, upstreamUrl);
    await using own = start("tests/bench/load_process.ts");
    const generator = await findGenerator({
      name: "the generator of this project, which takes more of the machine than wrk",
      run: (request, amount) => load({ load: own }, request, amount),
    }, folder);
    say(await machineLine());
    say(`requests come from ${generator.name}`);
    const gatewayUrl = await expectLine(gateway, /^ +public +(http:\S+)/);
    const adminUrl = await expectLine(gateway, /^ +admin +(http:\S+?)\/?$/);
    const bench: Bench = {
      extent,
      folder,
      load: own,
      generator,
      upstreamUrl,
      forwarder,
      gateway,
      bareUrl: await expectLine(forwarder, /^http:\S+/),
      gatewayUrl,
      limitedKey: await createLimitedKey(adminUrl, { token: ADMIN_TOKEN }),
    };
    await expectLine(own, /^ready$/);
    say(`gateway at rest: ${(await residentMegabytes(gateway.pid))?.toFixed(0) ?? "?"} MB`);
    const findings: Finding[] = [];
    for (const part of parts) findings.push(...await PARTS[part](bench));
    return findings;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function partsOf(only: string | undefined): (keyof typeof PARTS)[] {
  const all = Object.keys(PARTS) as (keyof typeof PARTS)[];
  if (only === undefined) return all.filter((name) => !ON_DEMAND.includes(name));
  const unknown = only.split(",").find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) throw new Error(`Cannot measure "${unknown}": one of ${all}`);
  return all.filter((name) => only.split(",").includes(name));
}

if (import.meta.main) {
  const { values } = parseArgs({
    args: Deno.args,
    options: {
      "quick": { type: "boolean" },
      "no-fail": { type: "boolean" },
      "only": { type: "string" },
      "million": { type: "boolean" },
    },
  });
  const extent = values.quick ? QUICK : FULL;
  // A million wallets take many minutes to write.
  const wallets = values.million ? [...extent.wallets, 1_000_000] : extent.wallets;
  const findings = await run({ ...extent, wallets }, partsOf(values.only));
  console.log(table(findings));
  const missed = findings.some(({ met }) => met === false);
  Deno.exit(missed && !values["no-fail"] ? 1 : 0);
}
