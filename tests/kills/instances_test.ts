/**
 * Kills instances on one database under load of all, again and again: the others go on, and the books
 * of all stay right.
 *
 * @module
 */

import { assertFalse, assertLess } from "@std/assert";
import { postgresBin } from "../fixtures/postgres.ts";
import { until } from "../fixtures/service.ts";
import { FleetRun, timesText } from "./fleet_run.ts";

/** `INSTANCE_KILL_ROUNDS=100` is the long run: it takes some twenty minutes, with a line a round. */
const ROUNDS = Number(Deno.env.get("INSTANCE_KILL_ROUNDS") ?? 1);
const SEED = Number(Deno.env.get("KILL_SEED") ?? 1);
const IS_LONG = ROUNDS >= 10;

const INSTANCES = 3;
const WORKERS = 12;
/** Calls at the upstream that count as load. */
const LOAD = 6;
/** Maximum time under load before a kill, in milliseconds. */
const LIFE_MS = 1_500;
/** Time in which holds of a killed instance end, in milliseconds. The long run asserts it. */
const ENDED_MS = 10_000;

/**
 * Kills one instance, and starts another in its place while its holds are ended by those that live.
 * Resolves to the time until they were.
 */
async function killOne(run: FleetRun): Promise<number> {
  const { fleet, load, random } = run;
  await run.underLoad(LOAD, { maxMs: LIFE_MS });
  const at = random.below(INSTANCES);
  const returned = load.dying(at);
  const { stderr } = await fleet.kill(at);
  const [killedMs, sinceMs] = [Date.now(), performance.now()];
  assertFalse(/internal_error|unhandled_rejection|InvariantError/.test(stderr), stderr);
  const begun = fleet.begin(at).finally(returned);
  await until(async () => await fleet.openHoldsBefore(killedMs) === 0, "its holds to end");
  const endedMs = Math.round(performance.now() - sinceMs);
  await begun;
  return endedMs;
}

function figures({ figures }: FleetRun, endedMs: readonly number[]): string {
  return `${endedMs.length} kills, ${figures}; holds ended after ${timesText(endedMs)}, ` +
    `${endedMs.filter((ms) => ms >= ENDED_MS).length} times too late`;
}

if (await postgresBin() === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test(`instances on one database: the books are right after each of ${ROUNDS} kills`, async () => {
    await using run = await FleetRun.begin({ count: INSTANCES, workers: WORKERS, seed: SEED });
    const endedMs: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      endedMs.push(await killOne(run));
      await run.check();
      if (IS_LONG) console.info(`${round}/${ROUNDS} ${figures(run, endedMs)}`);
    }
    await run.checkTheEnd();
    if (IS_LONG) assertLess(Math.max(...endedMs), ENDED_MS);
  });
}
