/**
 * One, two and three instances on one PostgreSQL database beside a gateway on a file, in one run: all
 * on the same processors, under the same number of callers.
 *
 * @module
 */

import { join } from "@std/path";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../../fixtures/postgres.ts";
import { drive, type LoadRequest, type LoadResult, median } from "../load.ts";
import type { Finding } from "../marks.ts";
import { asTask, expectLine, type Running, start } from "../process.ts";
import { hasWrk, runWrk } from "../request_path/wrk.ts";
import { processorTime } from "./database_load.ts";
import { noPostgres } from "./no_postgres.ts";
import { type Counts, countStatements } from "./statements.ts";
import { figures, instancesFindings, type Side } from "./table.ts";

const MOST = 3;
/** Callers of all instances together: a multiple of 1, 2 and 3. */
const CALLERS = 60;
const TOKEN = "svc_bench_admin_of_no_worth_0123456789";

/** A gateway on a file, the duration of a measurement, and a folder with a configuration. */
export interface InstancesBench {
  readonly file: Target;
  /** Has the file `svc.json`. */
  readonly folder: string;
  readonly key: string;
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
  readonly latencySeconds: number;
  readonly requestTo: (url: string, stream: boolean) => LoadRequest;
  readonly say: (text: string) => void;
}

/** A gateway. */
export interface Target {
  readonly url: string;
  readonly pid: number;
}

/** Figures of one round of some gateways. */
export interface Round {
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of all gateways of that store, for one request, in microseconds. */
  readonly gatewayMicros: number;
  readonly serverMicros: number;
}

/** Measures all sides in turn, then counts what one instance asks its database. */
export async function instances(bench: InstancesBench): Promise<Finding[]> {
  const bin = await postgresBin();
  if (bin === undefined) return [noPostgres("instances on PostgreSQL")];
  // Only the database whose statements are counted pays for the counting.
  const settings = ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=none"];
  await using server = await startPostgres(bin, { settings });
  const sides = await measured(bench, server);
  const counts = await counted(bench, server);
  bench.say(`\n${figures(sides, counts)}\n`);
  return instancesFindings(sides, counts);
}

async function measured(bench: InstancesBench, server: PostgresServer): Promise<Side[]> {
  const { url } = await newDatabase(server);
  await using stack = new AsyncDisposableStack();
  const all: Target[] = [];
  for (let at = 0; at < MOST; at++) all.push(stack.use(await startInstance(bench, url)));
  const serverPid = await server.pid();
  const groups = Array.from({ length: MOST }, (_, at) => ({
    name: at === 0 ? "1 instance" : `${at + 1} instances`,
    targets: all.slice(0, at + 1),
    pids: all.map(({ pid }) => pid),
  }));
  const sides = [{ name: "a file", targets: [bench.file], pids: [bench.file.pid] }, ...groups].map(
    (group): Group => ({ ...group, rounds: [], alone: [] }),
  );
  const measure = (group: Group, callers: number, seconds: number) =>
    loadAll(bench, { ...group, serverPid, callers, seconds });
  for (const group of sides) await measure(group, CALLERS, bench.warmUpSeconds);
  for (let round = 1; round <= bench.rounds; round++) {
    for (const group of sides) {
      group.rounds.push(await measure(group, CALLERS, bench.roundSeconds));
      if (group.targets.length === 1) {
        group.alone.push(await measure(group, 1, bench.latencySeconds));
      }
    }
    const shown = sides.map(({ name, rounds }) => `${name} ${rounds.at(-1)?.rate.toFixed(0)}/s`);
    bench.say(`instances, round ${round} of ${bench.rounds}: ${shown.join(", ")}`);
  }
  return sides.map(({ name, rounds, alone }) => ({
    name,
    loaded: middle(rounds),
    alone: alone.length === 0 ? undefined : middle(alone),
  }));
}

interface Group {
  readonly name: string;
  readonly targets: readonly Target[];
  /** All gateways on that store. */
  readonly pids: readonly number[];
  readonly rounds: Round[];
  /** Rounds with one caller. */
  readonly alone: Round[];
}

/** Loads some gateways at the same time, each with its part of the callers. */
async function loadAll(
  bench: InstancesBench,
  order: Pick<Group, "targets" | "pids"> & {
    readonly serverPid: number;
    readonly callers: number;
    readonly seconds: number;
  },
): Promise<Round> {
  const { targets, pids, serverPid, callers, seconds } = order;
  const connections = callers / targets.length;
  const before = await processorTime(pids, serverPid);
  const results = await Promise.all(targets.map(async ({ url }, at) => {
    const request = bench.requestTo(url, false);
    if (!await hasWrk()) return await drive(request, { connections, seconds });
    const folder = join(bench.folder, `wrk-${at}`);
    await Deno.mkdir(folder, { recursive: true });
    return await runWrk(request, { connections, seconds, folder });
  }));
  const after = await processorTime(pids, serverPid);
  return roundOf(results, {
    gateways: after.gateways - before.gateways,
    server: after.server - before.server,
  });
}

function roundOf(
  results: readonly LoadResult[],
  took: { readonly gateways: number; readonly server: number },
): Round {
  const requests = results.reduce((sum, one) => sum + one.requests, 0);
  return {
    rate: results.reduce((sum, one) => sum + one.requests / one.seconds, 0),
    p50Ms: median(results.map(({ p50Ms }) => p50Ms)),
    // Of the slowest instance.
    p99Ms: Math.max(...results.map(({ p99Ms }) => p99Ms)),
    gatewayMicros: took.gateways * 1e6 / requests,
    serverMicros: took.server * 1e6 / requests,
  };
}

function middle(rounds: readonly Round[]): Round {
  const of = (read: (round: Round) => number) => median(rounds.map(read));
  return {
    rate: of(({ rate }) => rate),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    gatewayMicros: of(({ gatewayMicros }) => gatewayMicros),
    serverMicros: of(({ serverMicros }) => serverMicros),
  };
}

/** Counts for one caller and for many, of one instance. */
async function counted(bench: InstancesBench, server: PostgresServer): Promise<Counts[]> {
  const { url } = await newDatabase(server);
  return await countStatements(url, async (proxyUrl, count) => {
    await using instance = await startInstance(bench, proxyUrl);
    const all = { targets: [instance], pids: [instance.pid], serverPid: await server.pid() };
    const requests = (callers: number, seconds: number) => async () => {
      const { rate } = await loadAll(bench, { ...all, callers, seconds });
      return rate * seconds;
    };
    await requests(CALLERS, bench.warmUpSeconds)();
    const counts: Counts[] = [];
    for (const callers of [1, CALLERS]) {
      counts.push({ callers, ...await count(requests(callers, bench.roundSeconds)) });
    }
    return counts;
  });
}

async function startInstance(
  { folder, key }: InstancesBench,
  databaseUrl: string,
): Promise<Target & AsyncDisposable> {
  const { flags, env } = await asTask();
  const running: Running = start("gateway/main.ts", [
    "serve",
    ...["--port", "0", "--admin-port", "0", "--config", join(folder, "svc.json")],
    ...["--bootstrap-key", key],
  ], { flags, env: { ...env, SERVICE_STORE: databaseUrl, SERVICE_ADMIN_TOKEN: TOKEN } });
  const url = await expectLine(running, /^ +public +(http:\S+)/);
  return { url, pid: running.pid, [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() };
}
