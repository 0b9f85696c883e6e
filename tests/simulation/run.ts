/**
 * One run: steps are taken, everything that waits comes to its end, and the invariants of the books
 * are checked after each step.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Accuse } from "./books.ts";
import type { Caller } from "./caller.ts";
import { Random } from "./random.ts";
import { drawSteps, type Step } from "./steps.ts";
import { judgeEnd, judgeStep } from "./verdicts.ts";
import { settle, VirtualTime } from "./virtual_time.ts";
import { World } from "./world.ts";

/** A violated invariant. */
export interface Violation {
  readonly invariant: string;
  readonly detail: string;
  /** Number of the step after which it appeared; the number of steps if it was at the end. */
  readonly step: number;
}

/** The outcome of a run. */
export interface Outcome {
  readonly violation?: Violation | undefined;
  readonly requests: number;
  /** Number of requests that came to the answer of their tasks. */
  readonly split: number;
  readonly settlements: number;
  /** Number of checkpoints of streams. */
  readonly checkpoints: number;
  /** Number of settlements that a start made, at the last checkpoint. */
  readonly recovered: number;
  /** Corrections of the operator that became durable. */
  readonly corrections: number;
  /** Number of changes of tiers. */
  readonly retiered: number;
  /** Number of wallets that were closed. */
  readonly closed: number;
  readonly crashes: number;
  /** Number of snapshots of the statistics that the service has acknowledged. */
  readonly snapshots: number;
  /** Number of charges in doubt for so long that their callers were refused. */
  readonly inDoubt: number;
  /** Digest of everything written and read: equal for equal runs. */
  readonly digest: string;
}

/** A seed and its number of steps. */
export interface SeedRun {
  readonly seed: number;
  readonly steps: number;
}

/** Maximum rounds until everything has ended. */
const LAST_ROUNDS = 3_000;
/** Time that passes when nothing else moves, in milliseconds: the pace of retries. */
const IDLE_MS = 1_000;
/** Real time after which a run counts as stuck, in milliseconds. */
const STUCK_MS = 60_000;
/** Invariant that is violated if the simulation itself fails or waits forever. */
export const RUN_ENDS = "a run comes to its end";

/** Returns the steps of a seed. */
export function stepsOf({ seed, steps }: SeedRun): Step[] {
  return drawSteps(new Random(seed), steps);
}

/** Takes steps in a world created from the seed. Equal steps have equal outcomes. */
export async function run(seed: number, steps: readonly Step[]): Promise<Outcome> {
  using time = new VirtualTime();
  let violation: Violation | undefined;
  let at = 0;
  let crashes = 0;
  const accuse: Accuse = (invariant, detail) => {
    violation ??= { invariant, detail, step: at };
  };
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    accuse("no failure is left unhandled", String(event.reason?.stack ?? event.reason));
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  const seen = new Set<Caller>();
  const world = new World(seed, { time, accuse });
  const act = async () => {
    await world.setUp();
    for (; at < steps.length && violation === undefined; at++) {
      const step = steps[at]!;
      await take(world, step);
      if (step.kind === "crash") crashes++;
      await settle();
      judgeStep(world, seen, accuse);
    }
    for (const last of [calmDown, killOnceMore]) {
      if (violation === undefined) await last(world, accuse);
    }
    if (violation === undefined) judgeStep(world, seen, accuse);
  };
  try {
    await time.race(act(), STUCK_MS, () => accuse(RUN_ENDS, `It is stuck: ${world.unfinished}`));
    await time.race(world.kill(false), STUCK_MS, () => accuse(RUN_ENDS, "Its kill is stuck"));
  } catch (error) {
    accuse(RUN_ENDS, String(error instanceof Error ? error.stack : error));
  } finally {
    globalThis.removeEventListener("unhandledrejection", onRejection);
  }
  const { callers, books } = world;
  return {
    violation,
    requests: callers.length,
    split: callers.filter(({ isSplit }) => isSplit).length,
    settlements: books.settlements.length,
    checkpoints: books.checkpoints,
    corrections: books.corrections.size,
    ...{ retiered: books.tierChanges.length, closed: books.closed.size },
    recovered: books.settlements.filter(({ recovered }) => recovered).length,
    crashes,
    snapshots: world.learned.taken,
    inDoubt: world.doubted.size,
    digest: digestOf(world),
  };
}

async function take(world: World, step: Step): Promise<void> {
  switch (step.kind) {
    case "ask": {
      const { question, times = 1 } = step;
      for (let time = 0; time < times; time++) world.ask(question);
      return;
    }
    case "go":
      return chosen(world.waiting(), step.pick)?.go();
    case "follow": {
      const long = world.callers.filter(({ done, question: { stream, split } }) =>
        !done && (stream || split !== undefined)
      );
      const caller = chosen(long, step.pick);
      return caller && await world.follow(caller, step.events);
    }
    case "leave":
      return chosen(world.callers.filter(({ done }) => !done), step.pick)?.leave(world.nowMs);
    case "credit":
      return world.payments.pay(step.wallet, BigInt(step.amount));
    case "correct":
      return world.corrections.make(step);
    case "key":
      return world.changeKey(step.key, step.change);
    case "catalog":
      return world.changeCatalog(step.price);
    case "fail":
      return void world.failing.push(...Array.from({ length: step.commits }, () => step));
    case "unreadable":
      return world.failReads(step.reads);
    case "wait":
      return await world.time.pass(step.ms);
    case "jump":
      return world.time.jump(step.ms);
    case "snapshot":
      return world.takeSnapshot();
    case "stop":
      return world.stop();
    case "crash":
      await world.time.pass(step.afterMs);
      return await world.kill(step.landed);
  }
}

function chosen<T>(list: readonly T[], pick: number): T | undefined {
  return list[Math.floor(pick * list.length)];
}

/** Lets everything end, without further faults. */
async function calmDown(world: World, accuse: Accuse) {
  world.calm();
  await untilQuiet(world, accuse);
  world.takeSnapshot();
  await untilQuiet(world, accuse);
  if (world.service?.learning.pending().isEmpty === false) {
    accuse("without a fault, a snapshot is stored", `${world.learned.taken} before it`);
  }
  await judgeEnd(world, accuse);
}

/** Kills the process once more: the next one must find nothing to repair. */
async function killOnceMore(world: World, accuse: Accuse) {
  await world.kill(false);
  await untilQuiet(world, accuse);
  await judgeEnd(world, accuse);
}

async function untilQuiet(world: World, accuse: Accuse) {
  for (let round = 0; round < LAST_ROUNDS; round++) {
    await settle();
    const waiting = world.waiting();
    if (waiting.length > 0) {
      for (const { go } of waiting) go();
      continue;
    }
    if (world.quiet) return;
    world.tryAgain();
    await world.time.pass(IDLE_MS);
  }
  accuse("everything comes to its end", world.unfinished);
}

function digestOf({ books, callers, payments }: World): string {
  const hash = createHash("sha256");
  for (const { state, text, status } of callers) hash.update(`${state} ${status} ${text}\n`);
  for (const { opId, state } of payments.all) hash.update(`${opId} ${state}\n`);
  for (const [id, { end, amount }] of books.holds) hash.update(`${id} ${end} ${amount}\n`);
  for (const { holdId, charged } of books.settlements) hash.update(`${holdId} ${charged}\n`);
  return hash.digest("hex");
}
