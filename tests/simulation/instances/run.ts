/**
 * One run of several instances on a modelled database.
 *
 * @module
 */

import { createHash } from "node:crypto";
import type { Accuse } from "../books.ts";
import { Random } from "../random.ts";
import type { SeedRun, Violation } from "../run.ts";
import { settle, VirtualTime } from "../virtual_time.ts";
import type { Call } from "./call.ts";
import type { ModelledDatabase } from "./database.ts";
import { drawSteps, INSTANCES, type Step } from "./steps.ts";
import { judgeCalls, judgeEnd } from "./verdicts.ts";
import { World } from "./world.ts";

/** The outcome of a run. */
export interface InstancesOutcome {
  readonly violation?: Violation | undefined;
  readonly calls: number;
  readonly settlements: number;
  /** Number of settlements for instances that were ended. */
  readonly recovered: number;
  /** Number of sessions of instances that were ended. */
  readonly ended: number;
  /** Number of those whose process lived, and joined again. */
  readonly returned: number;
  /** Calls that were refused because their holds had been ended for their instance. */
  readonly cutOff: number;
  /** Number of connections that broke, and of restarts of the database. */
  readonly breaks: number;
  readonly batches: number;
  /** Corrections that became durable. */
  readonly corrections: number;
  /** Number of wallets that were closed. */
  readonly closed: number;
  /** Digest of everything that was answered and written: equal for equal runs. */
  readonly digest: string;
}

/** Maximum rounds until everything has ended. */
const LAST_ROUNDS = 4_000;
/** Time that passes when nothing else moves, in milliseconds. */
const IDLE_MS = 250;
/** Real time after which a run counts as stuck, in milliseconds. */
const STUCK_MS = 60_000;
/** Invariant that is violated if the simulation itself fails or waits forever. */
const RUN_ENDS = "a run comes to its end";

/** Returns the steps of a seed. */
export function instanceSteps({ seed, steps }: SeedRun): Step[] {
  return drawSteps(new Random(seed), steps);
}

/** Takes steps in a new world. Equal steps have equal outcomes. */
export async function runInstances(
  steps: readonly Step[],
  { onTransaction }: {
    /** Called with each transaction that was committed. @default {no call} */
    readonly onTransaction?: ModelledDatabase["onTransaction"] | undefined;
  } = {},
): Promise<InstancesOutcome> {
  using time = new VirtualTime();
  let violation: Violation | undefined;
  let at = 0;
  const accuse: Accuse = (invariant, detail) => {
    violation ??= { invariant, detail, step: at };
  };
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    accuse("no failure is left unhandled", String(event.reason?.stack ?? event.reason));
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  const world = new World(time, accuse);
  if (onTransaction !== undefined) world.database.onTransaction = onTransaction;
  const seen = new Set<Call>();
  const act = async () => {
    await world.setUp();
    for (; at < steps.length && violation === undefined; at++) {
      await take(world, steps[at]!);
      await settle();
      judgeCalls(world, seen, accuse);
    }
    if (violation === undefined) await comeToEnd(world, accuse);
    judgeCalls(world, seen, accuse);
    if (violation === undefined) judgeEnd(world, accuse);
  };
  try {
    await time.race(act(), STUCK_MS, () => accuse(RUN_ENDS, `It is stuck: ${world.unfinished}`));
  } catch (error) {
    accuse(RUN_ENDS, String(error instanceof Error ? error.stack : error));
  } finally {
    await time.forget();
    globalThis.removeEventListener("unhandledrejection", onRejection);
  }
  const { books, calls, ended, database: { tables } } = world;
  const breaks = steps.filter(({ kind }) => kind === "cut" || kind === "restart").length;
  return {
    violation,
    ...{ calls: calls.length, settlements: books.settlements.length, ended: ended.size, breaks },
    returned: world.returned,
    cutOff: calls.filter(({ refusal }) => refusal === "hold_ended").length,
    recovered: books.settlements.filter(({ recovered }) => recovered).length,
    ...{ corrections: books.corrections.size, closed: books.closed.size },
    ...{ batches: tables.batches.length, digest: digestOf(world) },
  };
}

async function take(world: World, step: Step): Promise<void> {
  const { database } = world;
  switch (step.kind) {
    case "ask":
      return world.ask(step.course);
    case "go":
      return chosen(world.waiting, step.pick)?.go();
    case "serve":
      for (let time = 0; time < step.times; time++) {
        const session = chosen(database.ready, step.pick);
        if (session !== undefined) database.serve(session);
        await settle(2);
      }
      return;
    case "credit":
      return world.pay(step.instance, step.wallet);
    case "correct":
      return world.correct(step);
    case "cut": {
      const session = chosen(database.inUse, step.pick);
      return session && database.cut(session, step.kept);
    }
    case "deny": {
      const session = chosen(database.ready, step.pick);
      return session && database.deny(session);
    }
    case "refuse":
      database.refusing += step.connects;
      return;
    case "forget":
      database.forgetting++;
      return;
    case "restart":
      return database.restart();
    case "wait":
      await world.time.pass(step.ms);
      return database.endSilent();
    case "kill":
      return world.kill(step.instance, step.kept);
    case "pause":
      return world.pause(step.instance);
    case "resume":
      return world.resume(step.instance);
    case "live":
      return await world.live(step.ms);
    case "clock":
      database.aheadMs += step.ms;
      return;
  }
}

function chosen<T>(list: readonly T[], pick: number): T | undefined {
  return list[Math.floor(pick * list.length)];
}

/** Lets everything end, without further faults. */
async function comeToEnd(world: World, accuse: Accuse): Promise<void> {
  world.database.refusing = 0;
  for (let number = 0; number < INSTANCES; number++) world.resume(number);
  for (let round = 0; round < LAST_ROUNDS; round++) {
    await settle();
    if (world.advance()) continue;
    await world.time.pass(IDLE_MS);
    world.database.endSilent();
    await settle();
    if (world.unfinished === "" && world.waiting.length === 0) return;
  }
  accuse("everything comes to its end", world.unfinished);
}

function digestOf({ books, calls, database: { tables } }: World): string {
  const hash = createHash("sha256");
  for (const { state, held, charged, refusal } of calls) {
    hash.update(`${state} ${held} ${charged} ${refusal}\n`);
  }
  for (const [id, { end, amount }] of books.holds) hash.update(`${id} ${end} ${amount}\n`);
  for (const { lines } of tables.batches) hash.update(`${lines.join()}\n`);
  return hash.digest("hex");
}
