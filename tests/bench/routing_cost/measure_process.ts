/**
 * Measures the cost of learned routing and prints it as one line of JSON. A process of its own, with
 * the service's flags, in which garbage can be collected.
 *
 * @module
 */

import { Learning } from "../../../gateway/flows/learn/learning.ts";
import { chatFeatures } from "../../../gateway/domain/requests/features.ts";
import {
  EMPTY_SNAPSHOT,
  nextSnapshot,
  nextSnapshotSteps,
  type RoutingSnapshot,
  type WalletSnapshot,
} from "../../../gateway/domain/learning/snapshot.ts";
import { route } from "../../../gateway/domain/routing/route.ts";
import type { KeyPolicy } from "../../../gateway/domain/policy/policy.ts";
import { openKvStores } from "../../../gateway/stores/kv/open.ts";
import { storedWallet } from "../../../gateway/stores/kv/learning/wallet_text.ts";
import {
  catalogWith,
  COMMON,
  contextOf,
  FULL,
  fullStatistics,
  NOW_MS,
  taskAt,
} from "./full_wallet.ts";
import type { Percentiles, RoutingCost } from "./routing_cost.ts";

const WALLET = "bench";
const catalog = catalogWith(FULL.models);
const quiet = { info: () => {}, warn: () => {}, error: () => {} };
const PROMPT =
  "Compare two designs of a queue that must survive a restart of its process, and state " +
  "which of them loses no element that was acknowledged. ";

function percentiles(times: number[]): Percentiles {
  times.sort((one, other) => one - other);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? NaN;
  return { p50: at(0.5), p99: at(0.99), most: times.at(-1) ?? NaN };
}

/** Returns times of decisions: features, fingerprint, seed and route, in milliseconds. */
async function decisionTimes(
  snapshot: RoutingSnapshot,
  policy: KeyPolicy,
  samples: number,
): Promise<Percentiles> {
  await using stores = await openedStores();
  const { snapshots, votes, catalogs } = stores.stores;
  const parts = { snapshots, votes, catalogs, clock: { nowMs: () => NOW_MS }, logger: quiet };
  const learning = new Learning({ ...parts, secret: "bench" });
  const wallet = {
    ...{ id: WALLET, tier: "all", credits: 10n ** 15n, available: 10n ** 15n },
    ...{ held: 0n, spent: 0n, writtenOff: 0n, createdAtMs: NOW_MS },
  };
  const times: number[] = [];
  const warmUp = Math.min(2_000, samples);
  for (let at = -warmUp; at < samples; at++) {
    const content = PROMPT.repeat(1 + (at + warmUp) % 8);
    const system = { role: "system" as const, content: `You review designs, edition ${at}.` };
    const request = {
      model: "auto",
      messages: [system, { role: "user" as const, content }],
      max_completion_tokens: 200,
    };
    const startMs = performance.now();
    const features = chatFeatures(request);
    learning.taskOf(WALLET, "chat", features.taskText ?? "");
    const seed = learning.seedOf(`log_${at}`);
    // Fingerprints of the bench's own tasks: every decision has a record.
    const task = taskAt((at + warmUp) % FULL.tasks);
    const input = { catalog, features, policy, wallet, budget: {}, pool: new Map(), snapshot };
    const plan = route({ ...input, task, seed, nowMs: NOW_MS });
    const endMs = performance.now();
    if (!plan.ok) throw new Error(plan.message);
    if (at >= 0) times.push(endMs - startMs);
  }
  return percentiles(times);
}

async function openedStores() {
  let commits = 0;
  const stores = await openKvStores(":memory:", { onTried: () => void commits++ });
  return {
    stores,
    get commits() {
      return commits;
    },
    [Symbol.asyncDispose]: () => stores.close(),
  };
}

/** Returns the heap in use after garbage was collected, in bytes. */
async function heapBytes(): Promise<number> {
  const { gc } = globalThis as unknown as { gc(): void };
  for (let round = 0; round < 4; round++) {
    gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return Deno.memoryUsage().heapUsed;
}

/** Returns the heap that snapshots of wallets take, in bytes for each. */
async function residentBytes(): Promise<number> {
  const count = 10;
  const build = (seed: number) => {
    const additions = fullStatistics(WALLET, FULL, seed);
    return nextSnapshot(EMPTY_SNAPSHOT, additions, contextOf(catalog));
  };
  build(0);
  const before = await heapBytes();
  const alive = Array.from({ length: count }, (_, seed) => build(seed));
  const bytes = await heapBytes() - before;
  if (alive.length !== count) throw new Error("The snapshots are gone");
  return bytes / count;
}

/** Returns the times of computing a snapshot in which one task has changed. */
function snapshotTimes(snapshot: RoutingSnapshot, rounds: number) {
  const small = fullStatistics(WALLET, { ...FULL, tasks: 1, modelsPerTask: 1 }, 2);
  const context = contextOf(catalog, NOW_MS + 60_000);
  const [all, longest]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const times: number[] = [];
    const steps = nextSnapshotSteps(snapshot, small, context);
    for (let isDone = false; !isDone;) {
      const startMs = performance.now();
      isDone = steps.next().done === true;
      times.push(performance.now() - startMs);
    }
    all.push(times.reduce((sum, time) => sum + time, 0));
    longest.push(Math.max(...times));
  }
  return { snapshot: percentiles(all), longestStep: percentiles(longest) };
}

/** Returns the bytes of the stored text of a wallet's tasks. */
function tasksBytes(wallet: WalletSnapshot | undefined): number {
  return wallet === undefined ? 0 : JSON.stringify(storedWallet(wallet).tasks).length;
}

/** Returns the bytes and the commits of writing a snapshot. */
async function written(snapshot: RoutingSnapshot) {
  await using opened = await openedStores();
  const before = opened.commits;
  if (!await opened.stores.snapshots.put(snapshot, [WALLET])) throw new Error("Not stored");
  const wallet = snapshot.wallets.get(WALLET);
  const bytes = wallet === undefined ? 0 : JSON.stringify(storedWallet(wallet)).length;
  return { writtenBytes: bytes, commits: opened.commits - before };
}

const context = contextOf(catalog);
const largest = nextSnapshot(EMPTY_SNAPSHOT, fullStatistics(WALLET, FULL), context);
const commonAdditions = fullStatistics(WALLET, { ...FULL, ...COMMON });
const common = nextSnapshot(EMPTY_SNAPSHOT, commonAdditions, context);
const samples = Number(Deno.args[0] ?? 20_000);
const cost: RoutingCost = {
  learned: await decisionTimes(largest, {}, samples),
  verified: await decisionTimes(largest, { auto: { verify: "auto" } }, samples),
  unlearned: await decisionTimes(EMPTY_SNAPSHOT, {}, samples),
  ...snapshotTimes(largest, 30),
  commonTasksBytes: tasksBytes(common.wallets.get(WALLET)),
  largestTasksBytes: tasksBytes(largest.wallets.get(WALLET)),
  ...await written(largest),
  heapBytes: await residentBytes(),
};
console.log(JSON.stringify(cost));
