/**
 * Simulates the gateway: `deno task sim` runs seeds, prints the result, and exits with 1 if an
 * invariant was violated. A seed has the same result every time, on every machine.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { explainInstances, runInstanceSeeds } from "./instances/seeds.ts";
import { type Outcome, run, RUN_ENDS, stepsOf } from "./run.ts";
import { shrink, simplerSteps } from "./shrink.ts";
import { type Step, stepText } from "./steps.ts";

/** Default number of steps of a run. */
export const DEFAULT_STEPS = 200;

const USAGE = `Usage: deno task sim [--store file|postgres] [--seed N | --seeds A..B] [--steps M]

Runs the gateway on a simulated file, then several instances of the ledger on a modelled PostgreSQL;
--store runs one of them. Without a seed, seeds 1 to 100 are run. A night's work:
--seeds 1..100000 --steps 600`;

const STORES = ["file", "postgres"] as const;

interface Order {
  /** Stores to simulate. */
  readonly stores: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly steps: number;
}

/** The sums of a run of many seeds. */
export interface Tally {
  seeds: number;
  requests: number;
  /** Number of requests that came to the answer of a split. */
  split: number;
  settlements: number;
  checkpoints: number;
  recovered: number;
  corrections: number;
  /** Number of changes of tiers, and of wallets that were closed, which are corrections too. */
  retiered: number;
  closed: number;
  crashes: number;
  /** Number of snapshots of the statistics. */
  snapshots: number;
  failed: number;
}

/** Returns the meaning of the flags; `undefined` if they are invalid. */
export function orderOf(args: readonly string[]): Order | undefined {
  const values = flagsOf(args);
  const steps = Number(values?.steps ?? DEFAULT_STEPS);
  const stores = STORES.filter((name) => (values?.store ?? name) === name);
  const range = /^(\d{1,9})(?:\.\.(\d{1,9}))?$/.exec(values?.seeds ?? values?.seed ?? "1..100");
  if (values === undefined || range === null || !Number.isInteger(steps) || steps < 1) {
    return undefined;
  }
  const from = Number(range[1]);
  const to = Number(range[2] ?? range[1]);
  return to < from || stores.length === 0 ? undefined : { stores, from, to, steps };
}

function flagsOf(
  args: readonly string[],
): { [flag in "seed" | "seeds" | "steps" | "store"]?: string } | undefined {
  const options = {
    seed: { type: "string" },
    seeds: { type: "string" },
    steps: { type: "string" },
    store: { type: "string" },
  } as const;
  try {
    return parseArgs({ args: [...args], options }).values;
  } catch {
    return undefined;
  }
}

/** Runs seeds one after the other; `report` is called with each failing seed and its outcome. */
export async function runSeeds(
  { from, to, steps }: Omit<Order, "stores">,
  report: (seed: number, outcome: Outcome, tally: Tally) => Promise<void> | void,
): Promise<Tally> {
  const charges = { settlements: 0, checkpoints: 0, recovered: 0, corrections: 0 };
  const tally: Tally = {
    seeds: 0,
    requests: 0,
    split: 0,
    ...charges,
    ...{ retiered: 0, closed: 0, crashes: 0 },
    snapshots: 0,
    failed: 0,
  };
  for (let seed = from; seed <= to; seed++) {
    const outcome = await run(seed, stepsOf({ seed, steps }));
    tally.seeds++;
    tally.requests += outcome.requests;
    tally.split += outcome.split;
    tally.settlements += outcome.settlements;
    tally.checkpoints += outcome.checkpoints;
    tally.recovered += outcome.recovered;
    tally.corrections += outcome.corrections;
    tally.retiered += outcome.retiered;
    tally.closed += outcome.closed;
    tally.crashes += outcome.crashes;
    tally.snapshots += outcome.snapshots;
    if (outcome.violation !== undefined) tally.failed++;
    await report(seed, outcome, tally);
  }
  return tally;
}

/** Returns the steps that a failing seed needs to fail in the same way. */
export async function shortestTrace(
  order: { seed: number; steps: number },
): Promise<readonly Step[]> {
  const { seed } = order;
  const steps = stepsOf(order);
  const { violation } = await run(seed, steps);
  if (violation === undefined) return steps;
  // Every attempt of a stuck run would be stuck for as long.
  if (violation.invariant === RUN_ENDS) return steps.slice(0, violation.step + 1);
  return await shrink(steps.slice(0, violation.step + 1), async (shorter) => {
    const outcome = await run(seed, shorter);
    return outcome.violation?.invariant === violation.invariant;
  }, { simpler: simplerSteps });
}

async function explain(seed: number, steps: number): Promise<string> {
  const trace = await shortestTrace({ seed, steps });
  const { violation } = await run(seed, trace);
  return [
    `seed ${seed} violates: ${violation?.invariant}`,
    `  ${violation?.detail}`,
    `  the shortest trace found, ${trace.length} steps, and then everything comes to its end:`,
    ...trace.map((step) => `    ${stepText(step)}`),
    `  again: deno task sim --seed ${seed} --steps ${steps}`,
  ].join("\n");
}

async function main(args: readonly string[]): Promise<number> {
  const order = orderOf(args);
  if (order === undefined) {
    console.error(USAGE);
    return 2;
  }
  let failed = 0;
  if (order.stores.includes("file")) failed += await simulateFile(order);
  if (order.stores.includes("postgres")) failed += await simulateInstances(order);
  return failed === 0 ? 0 : 1;
}

async function simulateFile(order: Order): Promise<number> {
  const seconds = stopwatch();
  const tally = await runSeeds(order, async (seed, { violation }, { seeds }) => {
    if (violation !== undefined) console.log(await explain(seed, order.steps));
    if (seeds % 100 === 0) console.error(`${seeds} seeds, ${seconds()} s`);
  });
  const { seeds, requests, split, settlements, checkpoints, recovered, crashes, snapshots } = tally;
  console.log(
    `${seeds} seeds of ${order.steps} steps in ${seconds()} s: ${requests} requests, ` +
      `${split} of them split and answered, ${settlements} settlements, ${checkpoints} checkpoints, ${crashes} crashes, ${snapshots} snapshots, ` +
      `${recovered} streams charged at their last checkpoint, ${tally.corrections} corrections, ` +
      `${tally.retiered} of them of tiers and ${tally.closed} that close a wallet, ` +
      `${tally.failed} seeds failed`,
  );
  return tally.failed;
}

async function simulateInstances(order: Order): Promise<number> {
  const seconds = stopwatch();
  const tally = await runInstanceSeeds(order, async (seed, { violation }, { seeds }) => {
    if (violation !== undefined) console.log(await explainInstances(seed, order.steps));
    if (seeds % 100 === 0) console.error(`${seeds} seeds of several instances, ${seconds()} s`);
  });
  const { seeds, calls, settlements, batches, ended, breaks, recovered, failed } = tally;
  console.log(
    `${seeds} seeds of ${order.steps} steps of several instances in ${seconds()} s: ` +
      `${calls} calls, ${settlements} settlements, ${batches} batches, ${ended} instances ended, ` +
      `${tally.returned} of them only paused, ${tally.cutOff} calls cut off by that, ` +
      `${breaks} broken connections and restarts, ${recovered} holds charged at their last ` +
      `checkpoint, ${tally.corrections} corrections, ${tally.closed} of them close a wallet, ` +
      `${failed} seeds failed`,
  );
  return failed;
}

function stopwatch(): () => string {
  const startedMs = performance.now();
  return () => ((performance.now() - startedMs) / 1_000).toFixed(1);
}

if (import.meta.main) {
  // A run that waits forever ends in silence, which must not count as success.
  Deno.exitCode = 1;
  Deno.exit(await main(Deno.args));
}
