import { assertEquals } from "@std/assert";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { Batches } from "../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresLedger } from "../../gateway/stores/postgres/ledger/ledger.ts";
import type { LineWatchOptions } from "../../gateway/stores/postgres/ledger/line_watch.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { fund, hold, settle, voidCommand } from "./ledger_store_contract.ts";

const NO_WAIT = { waitMs: 0 };
/** A wait that a test never sees the end of. */
const LONG = { waitMs: 600_000 };
const NEVER_MS = 600_000;

type Ledgers = readonly [PostgresLedger, PostgresLedger];

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Runs with the ledgers of two instances. */
function check(
  what: string,
  line: LineWatchOptions,
  run: (ledgers: Ledgers, sql: Sql) => Promise<void>,
): void {
  Deno.test({
    name: `the line of waiting holds in PostgreSQL: ${what}`,
    ignore: bin === undefined,
    async fn() {
      server ??= await startPostgres(bin ?? "");
      const { url, drop } = await newDatabase(server);
      const sql = connect(url);
      await migrate(sql);
      const open = async (id: string) => {
        await sql`insert into instance (id) values (${id})`;
        const batches = new Batches(sql, { id });
        return { batches, ledger: new PostgresLedger(sql, batches, { line }) };
      };
      const [one, two] = [await open("one"), await open("two")];
      try {
        await fund(one.ledger, 10n);
        await run([one.ledger, two.ledger], sql);
      } finally {
        for (const { ledger, batches } of [one, two]) {
          await ledger.close();
          await batches.close();
        }
        await sql.end();
        await drop();
      }
    },
  });
}

/** Resolves when as many holds wait in the line, and their instances listen. */
async function untilWaiting(sql: Sql, count: number, listeners: number): Promise<void> {
  for (;;) {
    const [row] = await sql<{ waiting: number; listening: number }[]>`
      select (select count(*)::int from waiting_hold) as waiting,
        (select count(*)::int from pg_stat_activity
          where datname = current_database() and query ilike 'listen %') as listening
    `;
    if (row?.waiting === count && row.listening >= listeners) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

check("a notice wakes a hold of another instance", { lookMs: NEVER_MS }, async (ledgers, sql) => {
  const [one, two] = ledgers;
  await one.hold(hold("all", 10n), NO_WAIT);
  const waiting = two.hold(hold("next", 6n), LONG);
  await untilWaiting(sql, 1, 1);
  await one.settle(settle("all", 1n));
  assertEquals(await waiting, { ok: true, value: { held: 6n } });
});

check(
  "without notices it is found by looking",
  { lookMs: 5, listens: false },
  async ([one, two], sql) => {
    await one.hold(hold("all", 10n), NO_WAIT);
    const waiting = two.hold(hold("next", 6n), LONG);
    await untilWaiting(sql, 1, 0);
    await one.voidHold(voidCommand("all"));
    assertEquals(await waiting, { ok: true, value: { held: 6n } });
  },
);

check("a waiting hold that is voided leaves the line", {}, async ([one, two], sql) => {
  await one.hold(hold("all", 10n), NO_WAIT);
  const waiting = two.hold(hold("next", 6n), { waitMs: 500 });
  await untilWaiting(sql, 1, 1);
  assertEquals(await one.voidHold(voidCommand("next")), { ok: false, refusal: "hold_not_found" });
  await untilWaiting(sql, 0, 0);
  // Its caller, if it still waits, enters the line again.
  assertEquals(await waiting, { ok: false, refusal: "insufficient_balance" });
});

check("an aborted wait is refused, and a closing store ends all", {}, async ([one, two], sql) => {
  await one.hold(hold("all", 10n), NO_WAIT);
  const controller = new AbortController();
  const aborted = two.hold(hold("next", 6n), { ...LONG, signal: controller.signal });
  await untilWaiting(sql, 1, 1);
  controller.abort();
  assertEquals(await aborted, { ok: false, refusal: "insufficient_balance" });
  await untilWaiting(sql, 0, 0);
  const cut = two.hold(hold("last", 6n), LONG).catch(({ message }) => message);
  await untilWaiting(sql, 1, 1);
  await two.close();
  assertEquals(await cut, "Cannot hold: The store is closing");
});

Deno.test("the server of the line's tests stops", async () => {
  await server?.[Symbol.asyncDispose]();
});
