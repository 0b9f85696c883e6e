import { assert, assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../../gateway/ports/store_error.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { startInstance, type TestInstance } from "../fixtures/postgres_instances.ts";
import { fund, hold, outcome, progress, settle } from "./ledger_store_contract.ts";
import { record } from "./request_log_contract.ts";

const NO_WAIT = { waitMs: 0 };

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Runs a test with some instances on a new database, wallet `w` with 1000 micro-credits. */
async function withInstances(
  count: number,
  test: (instances: readonly TestInstance[], url: string) => Promise<void>,
): Promise<void> {
  server ??= await startPostgres(bin ?? "");
  const { url, drop } = await newDatabase(server);
  const instances = await Promise.all(Array.from({ length: count }, () => startInstance(url)));
  try {
    if (instances[0] !== undefined) await fund(instances[0].ledger, 1_000n);
    await test(instances, url);
  } finally {
    for (const { close } of instances) await close();
    await drop();
  }
}

/** Resolves once a condition holds; the test's own time limit ends it otherwise. */
async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!await condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function noHolds({ ledger }: TestInstance): Promise<void> {
  return until(async () => (await ledger.openHolds()).length === 0);
}

/** Resolves once nothing of an ended session is left. */
function cleared({ sql }: TestInstance, id: string): Promise<void> {
  return until(async () => {
    const rows = await sql`select from instance where id = ${id} and is_cleared`;
    return rows.length > 0;
  });
}

/** Returns how holds ended, by their ids. */
async function endsOf({ ledger }: TestInstance): Promise<Record<string, unknown>> {
  const ends: [string, unknown][] = [];
  for await (const entry of ledger.entries()) {
    if (entry.op === "settle") ends.push([entry.id, entry.charged]);
    else if (entry.op === "void" || entry.op === "expire") ends.push([entry.id, entry.op]);
  }
  const byId = Object.fromEntries(ends);
  assertEquals(Object.keys(byId).length, ends.length, "a hold ended twice");
  return byId;
}

function killedRow(logId: string, holdIds: readonly string[]) {
  return record(1, { id: logId, holdIds, outcome: "killed", charged: "0", outputTokens: 0 });
}

function test(name: string, body: () => Promise<void>): void {
  if (bin !== undefined) Deno.test(`instances on PostgreSQL: ${name}`, body);
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

test("the holds of one that died end once, at their checkpoints, with their rows", () =>
  withInstances(4, async ([one, two, three, dead]) => {
    assert(one && two && three && dead);
    await dead.ledger.hold(hold("silent", 10n, { logId: "log_a" }), NO_WAIT);
    for (const id of ["begun", "beyond"]) {
      await dead.ledger.hold(hold(id, 10n, { logId: "log_b" }), NO_WAIT);
    }
    await one.ledger.hold(hold("alive", 10n, { logId: "log_c" }), NO_WAIT);
    const row = () => killedRow("log_b", ["begun", "beyond"]);
    await dead.ledger.progress(progress("begun", 4n), row);
    await dead.ledger.progress(progress("begun", 7n), row);
    await dead.ledger.progress(progress("beyond", 12n), row);
    await dead.kill();
    await cleared(one, dead.instance.id);

    assertEquals(await endsOf(two), { silent: "expire", begun: 7n, beyond: 10n });
    assertEquals((await three.ledger.openHolds()).map(({ id }) => id), ["alive"]);
    const wallet = await two.ledger.wallet("w");
    assertEquals([wallet?.spent, wallet?.held, wallet?.writtenOff], [17n, 10n, 2n]);
    const { records } = await three.log.search({ limit: 10 });
    assertEquals(
      records.map((
        { id, outcome, charged, outputTokens, estimated },
      ) => [id, outcome, charged, outputTokens, estimated]),
      [["log_b", "killed", "0.000017", 19, true]],
    );
    assertEquals([...await one.sql`select from owed_row`].length, 0);
    for (const { instance } of [one, two, three]) assertEquals(instance.isLost, false);
  }));

test("one that was paused cannot settle, and goes on under a higher number", () =>
  withInstances(2, async ([other, paused]) => {
    assert(other && paused);
    const { id, number } = paused.instance;
    const lost: unknown[] = [];
    paused.instance.onLost((session) => lost.push(session));
    await paused.ledger.hold(hold("begun", 100n), NO_WAIT);
    await paused.ledger.hold(hold("silent", 100n), NO_WAIT);
    await paused.ledger.progress(progress("begun", 30n), () => killedRow("log_1", ["begun"]));
    paused.pause();
    await cleared(other, id);

    // The settlement meets the fence before any beat does.
    assertEquals(outcome(await paused.ledger.settle(settle("begun", 60n))), "hold_ended");
    assertEquals(outcome(await paused.ledger.settle(settle("begun", 30n))), "hold_ended");
    assertEquals(outcome(await paused.ledger.settle(settle("silent", 60n))), "hold_ended");
    assertEquals(lost, [{ id, number }]);
    assert(paused.instance.number > number);
    assertEquals(paused.instance.isLost, false);
    assertEquals(outcome(await paused.ledger.hold(hold("new", 5n), NO_WAIT)), { held: 5n });
    assertEquals(await endsOf(other), { begun: 30n, silent: "expire" });

    paused.resume();
    assertEquals(outcome(await paused.ledger.settle(settle("new", 5n))), {
      ...{ charged: 5n, writtenOff: 0n },
    });
    assertEquals((await other.ledger.wallet("w"))?.spent, 35n);
  }));

test("one that was paused learns of its end by its next beat", () =>
  withInstances(2, async ([other, paused]) => {
    assert(other && paused);
    const { id, number } = paused.instance;
    paused.pause();
    await cleared(other, id);
    paused.resume();
    await until(() => Promise.resolve(paused.instance.id !== id));
    assert(paused.instance.number > number);
  }));

test("the line of a wallet does not wait for one that died", () =>
  withInstances(2, async ([other, dead]) => {
    assert(other && dead);
    await other.ledger.hold(hold("first", 1_000n), NO_WAIT);
    const waiting = dead.ledger.hold(hold("dead", 900n), { waitMs: 60_000 });
    const refused = assertRejects(() => waiting, StoreError);
    await until(async () => [...await other.sql`select from waiting_hold`].length === 1);
    await dead.kill();
    await refused;
    const next = other.ledger.hold(hold("next", 900n), { waitMs: 60_000 });
    await cleared(other, dead.instance.id);
    await other.ledger.settle(settle("first", 0n));
    assertEquals(outcome(await next), { held: 900n });
  }));

test("those in the line behind the hold of one that died are served", () =>
  withInstances(2, async ([other, dead]) => {
    assert(other && dead);
    await other.ledger.hold(hold("first", 900n), NO_WAIT);
    const refused = dead.ledger.hold(hold("dead", 500n), { waitMs: 60_000 }).catch(() => {});
    await until(async () => [...await other.sql`select from waiting_hold`].length === 1);
    const next = other.ledger.hold(hold("next", 50n), { waitMs: 15_000 });
    await until(async () => [...await other.sql`select from waiting_hold`].length === 2);
    await dead.kill();
    await refused;
    assertEquals(outcome(await next), { held: 50n });
  }));

test("one that leaves ends its session at once; open holds of it are ended without a wait", () =>
  withInstances(2, async ([other, leaving]) => {
    assert(other && leaving);
    const { id } = leaving.instance;
    await leaving.ledger.hold(hold("left", 10n), NO_WAIT);
    await leaving.instance.leave();
    const refused = await assertRejects(
      () => leaving.ledger.hold(hold("late", 10n), NO_WAIT),
      StoreError,
    );
    assertEquals(refused.message, "The instance has left");
    const [session] = await other.sql`select ended_at from instance where id = ${id}`;
    assert(session?.["ended_at"] instanceof Date);
    await noHolds(other);
    assertEquals(await endsOf(other), { left: "expire" });
  }));

test("a reaper that died half-way is followed by another, over many holds", () =>
  withInstances(2, async ([first, dead], url) => {
    assert(first && dead);
    const ids = Array.from({ length: 450 }, (_, n) => `h${n}`);
    await Promise.all(ids.map(async (id) => {
      await dead.ledger.hold(hold(id, 2n, { logId: `log_${id}` }), NO_WAIT);
      await dead.ledger.progress(progress(id, 1n), () => killedRow(`log_${id}`, [id]));
    }));
    await dead.kill();
    await first.kill();
    // The former reaper had ended the session, and nothing else.
    await first.sql`update instance set ended_at = now() where id = ${dead.instance.id}`;
    const last = await startInstance(url);
    try {
      await cleared(last, dead.instance.id);
      assertEquals((await last.ledger.wallet("w"))?.spent, 450n);
      const { records } = await last.log.search({ limit: 1_000 });
      assertEquals(new Set(records.map(({ id }) => id)), new Set(ids.map((id) => `log_${id}`)));
    } finally {
      await last.close();
    }
  }));

test("an outage of the database ends no session of the living", async () => {
  server ??= await startPostgres(bin ?? "");
  const { stop, start } = server;
  await withInstances(3, async ([one, two, dead]) => {
    assert(one && two && dead);
    const ids = [one, two].map(({ instance }) => instance.id);
    await one.ledger.hold(hold("alive", 10n), NO_WAIT);
    await dead.ledger.hold(hold("dead", 10n), NO_WAIT);
    await dead.kill();
    await stop("immediate");
    // Longer than the lease.
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    await start();
    await cleared(one, dead.instance.id);
    assertEquals([one, two].map(({ instance }) => instance.id), ids);
    assertEquals(await endsOf(two), { dead: "expire" });
    assertEquals(outcome(await one.ledger.settle(settle("alive", 10n))), {
      ...{ charged: 10n, writtenOff: 0n },
    });
  });
});

test("the server of these tests stops", async () => {
  await server?.[Symbol.asyncDispose]();
});
