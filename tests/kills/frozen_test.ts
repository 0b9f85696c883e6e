/**
 * Two instances under load whose clocks are half a minute apart. One of them stands still, for longer
 * than its lease: the other goes on and ends its holds, and the books of both stay exact.
 *
 * @module
 */

import { assert, assertEquals, assertGreater } from "@std/assert";
import { postgresBin } from "../fixtures/postgres.ts";
import { until } from "../fixtures/service.ts";
import { FleetRun } from "./fleet_run.ts";

/**
 * `FREEZE_SECONDS=20` is the long run, in which both stand still, one after the other. The usual one
 * lasts until the holds of one are ended.
 */
const FREEZE_MS = Number(Deno.env.get("FREEZE_SECONDS") ?? 0) * 1_000;
const SEED = Number(Deno.env.get("KILL_SEED") ?? 1);
const [BEHIND, AHEAD] = [0, 1];
/** Instances that stand still, in turn. */
const FROZEN = FREEZE_MS > 0 ? [AHEAD, BEHIND] : [AHEAD];

const WORKERS = 12;
/** Calls at the upstream that count as load. */
const LOAD = 6;
/** Maximum time under load before an instance stands still, in milliseconds. */
const LIFE_MS = 1_500;

/** True when an instance has given a whole answer to a call that began after a time. */
function hasServed({ load }: FleetRun, at: number, sinceMs: number): boolean {
  return load.sightings.some((one) =>
    one.at === at && one.fromMs >= sinceMs && one.ending === "complete"
  );
}

/** Number of sessions that were ended for an instance, with all their holds. */
async function endedSessions({ fleet }: FleetRun): Promise<number> {
  const rows = await fleet.sql`select id from instance where ended_at is not null and is_cleared`;
  return rows.length;
}

/** Stops an instance while it serves, and lets it go on once its session was ended. */
async function freeze(run: FleetRun, at: number): Promise<void> {
  const { avoided, fleet, load } = run;
  const frozen = fleet.memberAt(at)?.process;
  assert(frozen !== undefined);
  await run.underLoad(LOAD, { maxMs: LIFE_MS });
  const [before, other] = [await endedSessions(run), 1 - at];
  const returned = load.dying(at);
  avoided.add(at);
  frozen.signal("SIGSTOP");
  const frozenMs = performance.now();
  try {
    await until(async () => await endedSessions(run) > before, "its session to be ended");
    await until(() => hasServed(run, other, frozenMs), "the other to serve");
    const restMs = Math.max(0, frozenMs + FREEZE_MS - performance.now());
    await new Promise((resolve) => setTimeout(resolve, restMs));
  } finally {
    frozen.signal("SIGCONT");
  }
  const thawedMs = performance.now();
  avoided.delete(at);
  await until(() => hasServed(run, at, thawedMs), "it to serve again");
  returned();
}

/** Asserts that entries follow each other whose times go back by what the clocks are apart. */
async function assertApart({ fleet }: FleetRun): Promise<void> {
  const [row] = await fleet.sql<{ back: bigint }[]>`
    select max(latest - at_ms)::bigint as back from (
      select at_ms, max(at_ms) over (order by place) as latest from journal
    ) as entries`;
  assertGreater(Number(row?.back), 20_000);
}

if (await postgresBin() === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("instances whose clocks are apart: the books are right after one of them stood still", async () => {
    await using run = await FleetRun.begin({
      ...{ count: 2, clockAhead: AHEAD, workers: WORKERS, seed: SEED },
    });
    for (const [turn, at] of FROZEN.entries()) {
      await freeze(run, at);
      await assertApart(run);
      await run.check();
      assertEquals(await endedSessions(run), turn + 1);
      if (FREEZE_MS > 0) console.info(`${turn + 1}/${FROZEN.length} ${run.figures}`);
    }
    await run.checkTheEnd();
  });
}
