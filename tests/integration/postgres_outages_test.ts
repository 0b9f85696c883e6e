/**
 * A PostgreSQL server that crashes again and again under three ledgers that commit all the time: they
 * are back with it, nothing that was acknowledged is lost, and nothing is done twice. The same with
 * whole services is in `tests/kills/outages_test.ts`. `OUTAGE_ROUNDS` sets the number of crashes.
 *
 * @module
 */

import { assert, assertEquals, assertLess } from "@std/assert";
import { setTimeout as delay } from "node:timers/promises";
import { resultOf } from "../../gateway/stores/verification_result.ts";
import { credit, fund, hold, settle } from "../contract/ledger_store_contract.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { until } from "../fixtures/service.ts";
import { startInstance, type TestInstance } from "../fixtures/postgres_instances.ts";

const bin = await postgresBin();
const ROUNDS = Number(Deno.env.get("OUTAGE_ROUNDS") ?? 2);
const IS_LONG = ROUNDS >= 10;
const CALLERS = 10;
/** Time in which every ledger settles again, from the server's start. The long run asserts it. */
const BACK_MS = 5_000;
const CHARGE = 3n;

/** Answers that the callers of an instance have heard. */
class Heard {
  /** Ids of acknowledged settlements. */
  readonly settled: string[] = [];
  /** Ids of holds with an error. */
  readonly unclear: string[] = [];
}

/** Calls one instance until the signal is aborted: holds, then settlements. */
async function call(
  { ledger }: TestInstance,
  { name, heard, end }: { readonly name: string; readonly heard: Heard; readonly end: AbortSignal },
): Promise<void> {
  for (let turn = 0; !end.aborted; turn++) {
    const id = `${name} ${turn}`;
    try {
      await ledger.hold(hold(id, 10n), { waitMs: 1_000 });
      const settled = await ledger.settle(settle(id, CHARGE));
      if (settled.ok) heard.settled.push(id);
    } catch {
      heard.unclear.push(id);
      await delay(100);
    }
  }
}

/** Crashes the server and starts it; resolves to the time until every instance settles again. */
async function crash(server: PostgresServer, all: readonly Heard[]): Promise<number> {
  await delay(500);
  await server.stop("immediate");
  await delay(300);
  await server.start();
  const sinceMs = performance.now();
  const before = all.map(({ settled }) => settled.length);
  await until(
    () => all.every(({ settled }, at) => settled.length !== before[at]),
    "every instance to find its database again",
  );
  return performance.now() - sinceMs;
}

/** Returns what each ended hold was charged. */
async function charges({ ledger }: TestInstance): Promise<ReadonlyMap<string, bigint>> {
  const ends = new Map<string, bigint>();
  for await (const entry of ledger.entries()) {
    if (entry.op !== "settle" && entry.op !== "void" && entry.op !== "expire") continue;
    assert(!ends.has(entry.id), `hold ${entry.id} ended twice`);
    ends.set(entry.id, entry.op === "settle" ? entry.charged : 0n);
  }
  return ends;
}

async function assertBooks(first: TestInstance, all: readonly Heard[]): Promise<void> {
  const unclear = all.flatMap((one) => one.unclear);
  await Promise.all(
    unclear.map((holdId) =>
      first.ledger.voidHold({ kind: "void", holdId, reason: "an outage", atMs: 1 })
    ),
  );
  const ends = await charges(first);
  const lost = all.flatMap(({ settled }) => settled).filter((id) => ends.get(id) !== CHARGE);
  assertEquals(lost, []);
  const wallet = await first.ledger.wallet("w");
  const charged = [...ends.values()].reduce((sum, one) => sum + one, 0n);
  assertEquals([wallet?.spent, wallet?.held], [charged, 0n]);
  const { problems, entries } = await resultOf(first.ledger.verification());
  assertEquals(problems, []);
  assert(entries > ends.size);
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  Deno.test("crashes of the database lose nothing and double nothing", async () => {
    await using server = await startPostgres(bin);
    const { url } = await newDatabase(server);
    const options = { leaseMs: 6_000, pulse: undefined };
    const all = await Promise.all([1, 2, 3].map(() => startInstance(url, options)));
    const [first] = all;
    assert(first !== undefined);
    await fund(first.ledger, 0n);
    await first.ledger.credit(credit("seed", 10n ** 12n));
    const end = new AbortController();
    const heard = all.map(() => new Heard());
    const calls = all.flatMap((instance, at) =>
      Array.from({ length: CALLERS }, (_, caller) =>
        call(instance, {
          ...{ name: `${at} ${caller}`, heard: heard[at] ?? new Heard(), end: end.signal },
        }))
    );
    const times: number[] = [];
    try {
      for (let round = 0; round < ROUNDS; round++) times.push(await crash(server, heard));
    } finally {
      end.abort();
      await Promise.all(calls);
    }
    await assertBooks(first, heard);
    const settled = heard.reduce((sum, one) => sum + one.settled.length, 0);
    console.info(
      `${ROUNDS} crashes, ${settled} settlements; back after ${
        times.map((ms) => Math.round(ms)).join(", ")
      } ms`,
    );
    for (const instance of all) await instance.close();
    if (IS_LONG) assertLess(Math.max(...times), BACK_MS);
  });
}
