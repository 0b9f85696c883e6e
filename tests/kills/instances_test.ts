/**
 * Kills instances on one database under load of all, again and again: the others go on, and the books
 * of all stay right.
 *
 * @module
 */

import { assert, assertEquals, assertFalse, assertLess } from "@std/assert";
import { Fleet } from "../fixtures/fleet.ts";
import { labConfig } from "../fixtures/lab.ts";
import { postgresBin } from "../fixtures/postgres.ts";
import { until } from "../fixtures/service.ts";
import { Random } from "../simulation/random.ts";
import { Books, microsOf } from "./books.ts";
import { CountingUpstream } from "./counting_upstream.ts";
import { FleetLoad, newKeys } from "./fleet_load.ts";
import { type Evidence, judge } from "./verdicts.ts";

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

interface Scene {
  readonly fleet: Fleet;
  readonly upstream: CountingUpstream;
  readonly load: FleetLoad;
  readonly books: Books;
  readonly keyIds: ReadonlyMap<string, string>;
  readonly random: Random;
  readonly endedMs: number[];
}

/** Kills one instance, and starts another in its place while its holds are ended by those that live. */
async function killOne({ endedMs, fleet, load, random, upstream }: Scene): Promise<void> {
  await until(() => upstream.open >= LOAD, "load");
  await new Promise((resolve) => setTimeout(resolve, random.below(LIFE_MS)));
  const at = random.below(INSTANCES);
  const returned = load.dying(at);
  const { stderr } = await fleet.kill(at);
  const [killedMs, sinceMs] = [Date.now(), performance.now()];
  assertFalse(/internal_error|unhandled_rejection|InvariantError/.test(stderr), stderr);
  const begun = fleet.begin(at).finally(returned);
  await until(async () => await fleet.openHoldsBefore(killedMs) === 0, "its holds to end");
  endedMs.push(Math.round(performance.now() - sinceMs));
  await begun;
}

async function check({ books, fleet, keyIds, load, upstream }: Scene): Promise<void> {
  assertEquals(load.failed(), []);
  const evidence: Evidence = {
    ...{ books, keyIds, calls: upstream.calls, budgets: new Map() },
    sightings: [...load.sightings],
    callsBefore: upstream.calls.length,
    // No hold of a killed process is left, so all may be judged as those of one.
    startsMs: [0],
  };
  await books.read(fleet);
  assertEquals(judge(evidence), { overspentMicros: 0n, overspent: [], lost: [], doubled: [] });
  const { ok, problems } = await fleet.admin("GET", "/ledger/verify");
  assertEquals([ok, problems], [true, []]);
}

async function prepare(stack: AsyncDisposableStack): Promise<Scene> {
  const upstream = stack.use(new CountingUpstream());
  const { baseUrl } = upstream;
  const config = labConfig({ id: "writer", baseUrl, maxOutputTokens: 4_000 });
  const fleet = stack.use(await Fleet.start({ count: INSTANCES, config }));
  const keys = await newKeys(fleet, WORKERS);
  const keyIds = new Map(keys.map(({ name, id }) => [name, id]));
  const load = new FleetLoad(() => fleet.targets, keys, SEED);
  stack.defer(() => load.stop());
  return {
    fleet,
    upstream,
    load,
    books: new Books(),
    keyIds,
    random: new Random(SEED),
    endedMs: [],
  };
}

/** Checks the end, without calls: no hold is open, and the wallet is what its journal says. */
async function checkTheEnd(scene: Scene): Promise<void> {
  const { books, fleet, load, upstream } = scene;
  upstream.hurry();
  await load.stop();
  await until(async () => await fleet.openHoldsBefore(Infinity) === 0, "every hold to end");
  await check(scene);
  const steps = books.steps.get("w") ?? [];
  const ends = steps.filter(({ kind }) => kind === "settle" || kind === "expire");
  const wallet = books.wallets.find(({ id }) => id === "w");
  assertEquals(
    [wallet?.held, wallet?.spent].map((credits) => microsOf(credits ?? "")),
    [0n, ends.reduce((sum, { micros }) => sum + micros, 0n)],
  );
}

function figures({ endedMs, load: { sightings }, upstream }: Scene): string {
  const count = (ending: string) => sightings.filter((one) => one.ending === ending).length;
  const sorted = endedMs.toSorted((one, other) => one - other);
  return `${endedMs.length} kills, ${sightings.length} calls, ${count("complete")} complete, ` +
    `${count("left")} left, ${count("cut")} cut, ${count("unanswered")} unanswered, ` +
    `${count("refused")} refused, ${count("answered")} answered with an error, ` +
    `${upstream.calls.length} at the upstream; holds ended after ` +
    `${sorted[sorted.length >> 1]} ms in the middle, ${sorted.at(-1)} ms at most, ` +
    `${sorted.filter((ms) => ms >= ENDED_MS).length} times too late`;
}

if (await postgresBin() === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test(`instances on one database: the books are right after each of ${ROUNDS} kills`, async () => {
    await using stack = new AsyncDisposableStack();
    const scene = await prepare(stack);
    for (let round = 1; round <= ROUNDS; round++) {
      await killOne(scene);
      await check(scene);
      if (IS_LONG) console.info(`${round}/${ROUNDS} ${figures(scene)}`);
    }
    await checkTheEnd(scene);
    if (IS_LONG) assertLess(Math.max(...scene.endedMs), ENDED_MS);
    assert(scene.load.sightings.some(({ ending }) => ending === "complete"));
  });
}
