import { assertEquals, assertRejects } from "@std/assert";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { Batches } from "../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresLedger } from "../../gateway/stores/postgres/ledger/ledger.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import { assignmentsOf, rowsOf } from "../../gateway/stores/postgres/statement.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { fund, hold, outcome } from "./ledger_store_contract.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

/** Runs a test with a pool, and with another one that can end all connections of the first. */
async function withPool(
  test: (sql: Sql, cut: () => Promise<void>) => Promise<void>,
): Promise<void> {
  server ??= await startPostgres(bin ?? "");
  const { url, drop } = await newDatabase(server);
  const [sql, other] = [connect(url, { max: 2 }), connect(url, { max: 1 })];
  const cut = async () => {
    await other`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database()`;
    // The driver hears of it.
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  try {
    await migrate(sql);
    await test(sql, cut);
  } finally {
    await sql.end();
    await other.end();
    await drop();
  }
}

/** Returns a pool whose first commit while `isLosing` is true lands, and has no answer. */
function losingCommits(sql: Sql, isLosing: () => boolean): Sql {
  let hasLost = false;
  const reserve = async () => {
    const connection = await sql.reserve();
    const { unsafe } = connection;
    const losing: typeof unsafe = async (text, ...rest) => {
      const rows = await unsafe(text, ...rest);
      if (text !== "commit" || !isLosing() || hasLost) return rows as never;
      hasLost = true;
      throw new Error("The connection is lost");
    };
    return Object.assign(connection, { unsafe: losing });
  };
  return { ...sql, reserve } as unknown as Sql;
}

function statementTests(): void {
  Deno.test("a statement that was prepared before its table changed is answered all the same", () =>
    withPool(async (sql) => {
      await sql.unsafe("create table changing (one int); insert into changing values (1)");
      const read = () => Promise.all([1, 2].map(() => sql`select * from changing`));
      assertEquals((await read()).map((rows) => [...rows]), [[{ one: 1 }], [{ one: 1 }]]);
      await sql.unsafe("alter table changing add column two int default 2");
      const both = [{ one: 1, two: 2 }];
      for (let again = 0; again < 2; again++) {
        assertEquals((await read()).map((rows) => [...rows]), [both, both]);
      }
    }));

  Deno.test("a value is never a part of the text of a statement", () =>
    withPool(async (sql) => {
      const hostile = "'; drop table setting; -- $1 \\";
      const where = sql`value = ${hostile}`;
      await sql`insert into setting ${
        rowsOf([{ name: "a", value: hostile }, { name: "b", value: "" }])
      }`;
      await sql`update setting set ${
        assignmentsOf({ name: "c", value: hostile })
      } where name = ${"b"}`;
      const rows = await sql`
        select name from setting where ${where} ${[sql`and true`, sql`and ${1} = 1`]} order by name
      `;
      assertEquals([[...rows], rows.count], [[{ name: "a" }, { name: "c" }], 2]);
      const arrays = await sql`
        select ${['a"b', "{,}", "\\"]}::text[] as texts, ${2n ** 60n}::bigint as big
      `;
      assertEquals([...arrays], [{ texts: ['a"b', "{,}", "\\"], big: 2n ** 60n }]);
    }));
}

function tests(): void {
  Deno.test("a transaction whose connection is lost fails, and the next one runs", () =>
    withPool(async (sql, cut) => {
      for (let round = 0; round < 5; round++) {
        let cutting: Promise<void> | undefined;
        await assertRejects(() =>
          sql.begin(async (tx) => {
            await tx`select 1`;
            const sleeping = tx`select pg_sleep(60)`.then();
            cutting = cut();
            await sleeping;
          })
        );
        await cutting;
        const read = await sql.begin(async (tx) => [...await tx`select 1 as one`]);
        assertEquals(read.length, 1);
      }
    }));

  Deno.test("a transaction whose work throws is rolled back", () =>
    withPool(async (sql) => {
      await assertRejects(() =>
        sql.begin(async (tx) => {
          await tx`insert into setting (name, value) values ('one', '1')`;
          throw new RangeError("a refusal");
        }), RangeError);
      assertEquals([...await sql`select from setting`].length, 0);
    }));
}

function ledgerTests(): void {
  Deno.test("a ledger goes on after its connection was lost while it was idle", () =>
    withPool(async (sql, cut) => {
      await sql`insert into instance (id) values ('one')`;
      const batches = new Batches(sql, { id: "one" });
      const ledger = new PostgresLedger(sql, batches);
      await fund(ledger, 100n);
      for (const id of ["a", "b", "c"]) {
        await cut();
        assertEquals(outcome(await ledger.hold(hold(id, 10n), { waitMs: 0 })), { held: 10n });
      }
      await ledger.close();
      await batches.close();
    }));

  Deno.test("a commit without an answer is looked up while the whole pool is busy", () =>
    withPool(async (sql) => {
      await sql`insert into instance (id) values ('one')`;
      let isLosing = false;
      const batches = new Batches(losingCommits(sql, () => isLosing), { id: "one" });
      const ledger = new PostgresLedger(sql, batches);
      await fund(ledger, 100n);
      const free = Promise.withResolvers<void>();
      const busy = [1, 2].map(() => sql.begin(() => free.promise));
      await new Promise((resolve) => setTimeout(resolve, 50));
      isLosing = true;
      assertEquals(outcome(await ledger.hold(hold("a", 10n), { waitMs: 0 })), { held: 10n });
      free.resolve();
      await Promise.all(busy);
      await ledger.close();
      await batches.close();
    }));
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  statementTests();
  tests();
  ledgerTests();
  Deno.test("the server of these tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}
