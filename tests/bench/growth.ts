/**
 * Stores of ten to a million wallets, each with a key: how long the gateway takes to start, its
 * memory, small calls with a key in use and with keys that were never used, and pages of lists.
 *
 * @module
 */

import { join } from "@std/path";
import { median } from "./load.ts";
import type { LoadAmount, LoadRequest, LoadResult } from "./load.ts";
import { secretOf, walletOf } from "./growth_names.ts";
import { type Finding, growthFindings, type GrowthRun } from "./growth_marks.ts";
import {
  asTask,
  expectLine,
  processorSeconds,
  residentMegabytes,
  type Running,
  start,
} from "./process.ts";

const ADMIN_TOKEN = "bench-admin-token-of-no-worth";
/** Starts of either gateway; the shortest counts. */
const STARTS = 3;
/** Keys that are used for the first time. */
const COLD_KEYS = 200;
/** Reads of a page; their median counts. */
const READS = 5;

/** The durations of the measurement, its tools and its folder. */
export interface Growth {
  readonly folder: string;
  /** File with the configuration of the gateways. */
  readonly config: string;
  /** Numbers of wallets, the fewest first: the others are compared with these. */
  readonly wallets: readonly number[];
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly requestTo: (url: string) => LoadRequest;
  readonly load: (request: LoadRequest, amount: LoadAmount) => Promise<LoadResult>;
  readonly say: (text: string) => void;
}

/** A gateway on a store, with the figures of its starts. */
interface Started extends Pick<GrowthRun, "wallets" | "startSeconds" | "startCpuSeconds"> {
  readonly gateway: Running;
  readonly publicUrl: string;
  readonly adminUrl: string;
}

/** Fills the stores, and measures each beside the one with the fewest wallets. */
export async function growth(options: Growth): Promise<Finding[]> {
  const [fewest = 10, ...more] = options.wallets;
  await fill(options, fewest);
  const runs: GrowthRun[] = [];
  for (const wallets of more) {
    await fill(options, wallets);
    // Started in turn, so that whatever else the machine does falls on both.
    const few = await startOn(options, fewest);
    await using _few = few.gateway;
    const many = await startOn(options, wallets);
    await using _many = many.gateway;
    const latencies = await latencyOf(options, [few, many]);
    const [fewRun, manyRun] = [
      await measure(options, few, latencies[0] ?? NaN),
      await measure(options, many, latencies[1] ?? NaN),
    ];
    if (runs.length === 0) runs.push(fewRun);
    runs.push({ ...manyRun, beside: fewRun });
  }
  return growthFindings(runs);
}

async function fill({ folder, say }: Growth, wallets: number): Promise<void> {
  const path = storeOf(folder, wallets);
  const startMs = performance.now();
  await using filling = start("tests/bench/fill_wallets_process.ts", [path, `${wallets}`]);
  await expectLine(filling, /^filled/, 3_600_000);
  const { size } = await Deno.stat(path);
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(0);
  say(`growth: ${wallets} wallets, ${(size / 1_000_000).toFixed(0)} MB, filled in ${seconds} s`);
}

function storeOf(folder: string, wallets: number): string {
  return join(folder, `growth_${wallets}.kv`);
}

/** Starts a gateway some times; the last one stays. */
async function startOn(options: Growth, wallets: number): Promise<Started> {
  let [startSeconds, startCpuSeconds] = [Infinity, Infinity];
  for (let time = 1;; time++) {
    const { flags, env } = await asTask();
    const gateway = start("gateway/main.ts", [
      ...["serve", "--port", "0", "--admin-port", "0", "--config", options.config],
      ...["--kv-path", storeOf(options.folder, wallets), "--bootstrap-key", secretOf(-1)],
    ], { flags, env: { ...env, SERVICE_ADMIN_TOKEN: ADMIN_TOKEN } });
    const startMs = performance.now();
    const publicUrl = await expectLine(gateway, /^ +public +(http:\S+)/);
    startSeconds = Math.min(startSeconds, (performance.now() - startMs) / 1_000);
    startCpuSeconds = Math.min(startCpuSeconds, await processorSeconds(gateway.pid) ?? NaN);
    const adminUrl = await expectLine(gateway, /^ +admin +(http:\S+?)\/?$/);
    if (time === STARTS) {
      return { wallets, startSeconds, startCpuSeconds, gateway, publicUrl, adminUrl };
    }
    await gateway[Symbol.asyncDispose]();
  }
}

/** Returns the median time of a small call with a key in use, of each gateway. */
async function latencyOf(options: Growth, gateways: readonly Started[]): Promise<number[]> {
  const times = gateways.map((): number[] => []);
  for (let round = 0; round <= options.rounds; round++) {
    for (const [at, { publicUrl }] of gateways.entries()) {
      const amount = { connections: 1, seconds: options.roundSeconds };
      const { p50Ms } = await options.load(requestWith(options, publicUrl, 0), amount);
      // The first round compiles what the others run.
      if (round > 0) times[at]?.push(p50Ms);
    }
  }
  return times.map(median);
}

function requestWith(options: Growth, url: string, key: number): LoadRequest {
  const headers = { authorization: `Bearer ${secretOf(key)}` };
  return { ...options.requestTo(url), headers };
}

async function measure(options: Growth, started: Started, p50Ms: number): Promise<GrowthRun> {
  const { wallets, gateway, publicUrl, startSeconds, startCpuSeconds } = started;
  const restMegabytes = await residentMegabytes(gateway.pid) ?? NaN;
  const coldMs = await coldCalls(options, publicUrl, wallets);
  const pages = await pagesOf(started);
  const megabytes = await residentMegabytes(gateway.pid) ?? NaN;
  const figures = { restMegabytes, megabytes, p50Ms, coldMs, pages };
  const slowest = pages.toSorted((a, b) => b.ms - a.ms)[0];
  options.say(
    `growth, ${wallets} wallets: start ${startSeconds.toFixed(2)} s (${
      startCpuSeconds.toFixed(2)
    } s CPU), ${restMegabytes.toFixed(0)} MB after calls, ${
      megabytes.toFixed(0)
    } MB after lists; ` +
      `p50 ${p50Ms.toFixed(2)} ms, with a cold key ${coldMs.toFixed(2)} ms; slowest page ${
        slowest?.ms.toFixed(1)
      } ms (${slowest?.path})`,
  );
  return { wallets, startSeconds, startCpuSeconds, ...figures };
}

/** Returns the median time of calls with keys that this process has not seen. */
async function coldCalls(options: Growth, url: string, wallets: number): Promise<number> {
  const times: number[] = [];
  const count = Math.min(COLD_KEYS, wallets - 1);
  for (let call = 1; call <= count; call++) {
    // Spread over the store; every fiftieth key is disabled.
    const key = call * 7_919 % wallets;
    if (key === 0 || key % 50 === 49) continue;
    const { url: target, headers, body } = requestWith(options, url, key);
    const startMs = performance.now();
    const response = await fetch(target, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`Cannot measure: ${text}`);
    times.push(performance.now() - startMs);
  }
  return median(times);
}

/** A page of a list. */
interface Page {
  readonly [rows: string]: unknown;
  readonly cursor: string | null;
}

/** Reads pages from everywhere in the lists: the first, later ones, searches and the last. */
async function pagesOf({ adminUrl, wallets }: Started): Promise<GrowthRun["pages"]> {
  const middle = Math.floor(wallets / 2);
  const paths = [
    ...["/wallets?limit=500", "/wallets?limit=500&sort=-id", "/wallets?limit=500&low=true"],
    ...[`/wallets?limit=500&q=${walletOf(middle)}`, "/wallets?limit=500&q=nothing"],
    ...["/keys?limit=500", "/keys?limit=500&sort=created", "/keys?limit=500&state=disabled"],
    ...["/keys?limit=500&q=nothing", `/keys?limit=500&wallet=${walletOf(middle)}`],
    ...["/keys?limit=500&state=revoked", `/wallets/${walletOf(middle)}/holds`],
  ];
  const pages: { path: string; ms: number }[] = [];
  for (const path of paths) {
    const { ms, page } = await read(adminUrl, path);
    pages.push({ path, ms });
    if (page.cursor === null) continue;
    const next = `${path}&cursor=${page.cursor}`;
    pages.push({ path: `${path}, second page`, ms: (await read(adminUrl, next)).ms });
  }
  return pages;
}

async function read(adminUrl: string, path: string): Promise<{ ms: number; page: Page }> {
  const times: number[] = [];
  let page: Page = { cursor: null };
  for (let time = 0; time < READS; time++) {
    const startMs = performance.now();
    const response = await fetch(`${adminUrl}/admin/v1${path}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    page = await response.json();
    times.push(performance.now() - startMs);
    if (!response.ok) throw new Error(`Cannot read ${path}: ${JSON.stringify(page)}`);
  }
  return { ms: median(times), page };
}
