/**
 * Crashes of the database under load of three instances, again and again: calls are refused or wait,
 * nothing is lost or charged twice, no instance is taken for dead, and all serve again by themselves.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertLess } from "@std/assert";
import { postgresBin } from "../fixtures/postgres.ts";
import { until } from "../fixtures/service.ts";
import { FleetRun, timesText } from "./fleet_run.ts";

/** `OUTAGE_ROUNDS=20` is the long run: it takes some three minutes, with a line a round. */
const ROUNDS = Number(Deno.env.get("OUTAGE_ROUNDS") ?? 2);
const SEED = Number(Deno.env.get("KILL_SEED") ?? 1);
const IS_LONG = ROUNDS >= 10;

const INSTANCES = 3;
const WORKERS = 12;
/** Calls at the upstream that count as load. */
const LOAD = 6;
/** Maximum time under load before a crash, in milliseconds. */
const LIFE_MS = 1_500;
/** Maximum time for which the database is away, in milliseconds; a long one outlasts a lease. */
const AWAY_MS = 2_000;
const LONG_AWAY_MS = 8_000;
/** Rounds between two long outages. */
const LONG_EACH = 5;
/** Time in which every instance serves again, from the database's start. The long run asserts it. */
const BACK_MS = 5_000;

/** Crashes the database and starts it; resolves to the time until every instance has served a call. */
async function crash(run: FleetRun, awayMs: number): Promise<number> {
  const { fleet: { members, server }, load } = run;
  await run.underLoad(LOAD, { maxMs: LIFE_MS });
  const returned = members.map(({ at }) => load.dying(at));
  await server.stop("immediate");
  await new Promise((resolve) => setTimeout(resolve, awayMs));
  await server.start();
  const sinceMs = performance.now();
  const backMs = (at: number) =>
    load.sightings.find((one) =>
      one.at === at && one.fromMs >= sinceMs && one.ending === "complete"
    )?.toMs;
  await until(() => members.every(({ at }) => backMs(at) !== undefined), "all to serve again");
  for (const note of returned) note();
  return Math.round(Math.max(...members.map(({ at }) => backMs(at) ?? Infinity)) - sinceMs);
}

/** Asserts that no instance was ended, and no hold but by the call that it was for. */
async function assertAllLived({ books, fleet }: FleetRun): Promise<void> {
  const answers = () => fleet.sql`select 1`.then(() => true, () => false);
  await until(answers, "the test's own connection");
  const ended = await fleet.sql`select id from instance where ended_at is not null`;
  assertEquals(ended.length, 0);
  assertEquals([...books.rows.values()].filter(({ outcome }) => outcome === "killed"), []);
  assertEquals((books.steps.get("w") ?? []).filter(({ kind }) => kind === "expire"), []);
}

if (await postgresBin() === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test(`instances on one database: the books are right after each of ${ROUNDS} crashes of it`, async () => {
    await using run = await FleetRun.begin({ count: INSTANCES, workers: WORKERS, seed: SEED });
    const { load, random } = run;
    const backMs: number[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      const awayMs = round % LONG_EACH === 0 ? LONG_AWAY_MS : random.below(AWAY_MS);
      const before = load.sightings.length;
      backMs.push(await crash(run, awayMs));
      await run.check();
      await assertAllLived(run);
      assertGreater(load.sightings.length, before);
      if (IS_LONG) {
        console.info(`${round}/${ROUNDS} ${run.figures}; back after ${timesText(backMs)}`);
      }
    }
    await run.checkTheEnd();
    await assertAllLived(run);
    // Calls that came without a database were refused, and none was charged: the books say so.
    assert(load.sightings.some(({ status }) => status === 503));
    if (IS_LONG) assertLess(Math.max(...backMs), BACK_MS);
  });
}
