import { assertEquals, assertRejects } from "@std/assert";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { migrate, type Migration, MIGRATIONS } from "../../gateway/stores/postgres/migrate.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";

/** The time after which the server ends a statement of these tests, in milliseconds. */
const STATEMENT_MS = 300;

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Runs with the pools of some instances. */
function check(
  what: string,
  count: number,
  run: (pools: readonly Sql[], first: Sql) => Promise<void>,
): void {
  Deno.test({
    name: `migrations on PostgreSQL: ${what}`,
    ignore: bin === undefined,
    async fn() {
      server ??= await startPostgres(bin ?? "");
      const { url, drop } = await newDatabase(server);
      const options = encodeURIComponent(`-c statement_timeout=${STATEMENT_MS}`);
      const pools = Array.from(
        { length: count },
        () => connect(`${url}?options=${options}`, { max: 2 }),
      );
      try {
        for (const first of pools.slice(0, 1)) await run(pools, first);
      } finally {
        for (const sql of pools) await sql.end();
        await drop();
      }
    },
  });
}

function withMore(...more: readonly Migration[]) {
  return { migrations: [...MIGRATIONS, ...more] };
}

async function namesAfterAll(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select name from migration where version > ${MIGRATIONS.length} order by version
  `;
  return rows.map(({ name }) => name);
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

check("ten that start together migrate once, however long that takes", 10, async (pools, sql) => {
  const slow = { name: "slow", sql: "create table slow (a int); select pg_sleep(1.2)" };
  const last = { name: "last", sql: "insert into slow values (1)" };
  await Promise.all(pools.map((each) => migrate(each, withMore(slow, last))));
  assertEquals(await namesAfterAll(sql), ["slow", "last"]);
  assertEquals([...await sql`select a from slow`], [{ a: 1 }]);
});

check("those before one that fails are kept", 1, async (_, sql) => {
  const good = { name: "good", sql: "create table good (a int)" };
  const bad = { name: "bad", sql: "select 1 / 0" };
  await assertRejects(() => migrate(sql, withMore(good, bad)));
  assertEquals(await namesAfterAll(sql), ["good"]);
  await migrate(sql, withMore(good, { ...bad, sql: "select 1" }));
  assertEquals(await namesAfterAll(sql), ["good", "bad"]);
});

check("a backfill goes on by small transactions after a break", 2, async ([, other], sql) => {
  const tables = {
    name: "tables",
    sql: "create table many (a int, b int); insert into many select generate_series(1, 25)",
  };
  const backfill = (text: string) => ({ name: "backfill", sql: text, isRepeated: true });
  const ten = (b: string) =>
    `update many set b = ${b} where ctid = any(array(
      select ctid from many where b is null order by a limit 10))`;
  await assertRejects(() => migrate(sql, withMore(tables, backfill(ten("1 / (15 - a)")))));
  assertEquals((await sql`select from many where b is not null`).count, 10);
  await Promise.all(
    [sql, other ?? sql].map((each) => migrate(each, withMore(tables, backfill(ten("1"))))),
  );
  assertEquals((await sql`select from many where b is null`).count, 0);
  assertEquals(await namesAfterAll(sql), ["tables", "backfill"]);
});

Deno.test("the server of the migrations' tests stops", async () => {
  await server?.[Symbol.asyncDispose]();
});
