import { assert, assertEquals, assertLess, assertRejects } from "@std/assert";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { databaseOf } from "../../gateway/stores/postgres/database_url.ts";
import { Link } from "../../gateway/stores/postgres/link.ts";
import { freePort } from "../fixtures/free_port.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";

const bin = await postgresBin();

interface Scene {
  readonly server: PostgresServer;
  readonly url: string;
  readonly link: Link;
  readonly sql: Sql;
  /** Ends all connections of the link, and waits until the driver has heard of it. */
  cut(): Promise<void>;
}

async function onServer(test: (scene: Scene) => Promise<void>): Promise<void> {
  await using server = await startPostgres(bin ?? "");
  const { url } = await newDatabase(server);
  const link = new Link(databaseOf(url));
  const [sql, other] = [connect(link, { max: 4 }), connect(url, { max: 1 })];
  const cut = async () => {
    await other`select pg_terminate_backend(pid) from pg_stat_activity
      where pid <> pg_backend_pid() and datname = current_database()`;
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  try {
    await test({ server, url, link, sql, cut });
  } finally {
    await sql.end({ timeout: 1 });
    await other.end({ timeout: 1 });
  }
}

const CASES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
  "a query that no connection is free for is counted, and refused in time": async ({ url }) => {
    const sql = connect(`${url}?connect_timeout=1`, { max: 1, freeMs: 100 });
    const slow = sql`select pg_sleep(3)`.then(() => "answered");
    const waiting = assertRejects(async () => await sql`select 1`, StoreError, "too slow");
    await new Promise((resolve) => setTimeout(resolve, 50));
    assertEquals(sql.waiting, 1);
    await waiting;
    assertEquals([sql.waiting, await slow], [0, "answered"]);
    await sql.end();
  },
  "while the database is away every query is refused at once, then all run again": async (
    scene,
  ) => {
    const { server, link, sql } = scene;
    for (let round = 0; round < 3; round++) {
      await sql`select 1`;
      await server.stop("immediate");
      const sinceMs = performance.now();
      const queries = Array.from({ length: 200 }, () => sql`select 1`.then(() => 1, () => 0));
      assertEquals((await Promise.all(queries)).filter((one) => one === 1).length, 0);
      assertLess(performance.now() - sinceMs, 2_000);
      assert(link.isAway);
      await server.start();
      for (;;) if (await sql`select 1`.then(() => true, () => false)) break;
      const taken = await Promise.all(Array.from({ length: 10 }, () => sql.reserve()));
      for (const connection of taken) {
        await connection.unsafe("select 1");
        connection.release();
      }
    }
  },

  "a reservation outlives no connection, and leaves none behind": async ({ sql, cut }) => {
    for (let round = 0; round < 5; round++) {
      const connection = await sql.reserve();
      await connection.unsafe("begin");
      await cut();
      await assertRejects(() => connection.unsafe("commit"));
      connection.release();
    }
    const rows = await sql`select from pg_stat_activity where datname = current_database()`;
    assertLess(rows.length, 7);
  },

  "a transaction whose connection is lost fails, at work and at rest": async ({ sql, cut }) => {
    for (let round = 0; round < 5; round++) {
      await assertRejects(() =>
        sql.begin(async (tx) => void await Promise.all([tx`select pg_sleep(60)`, cut()]))
      );
      await assertRejects(() =>
        sql.begin(async (tx) => {
          await tx`select 1`;
          await cut();
        })
      );
      await assertRejects(() =>
        sql.begin(async (tx) => {
          await cut();
          await tx`select 1`;
        })
      );
      assertEquals([...await sql.begin((tx) => tx`select 1 as one`)], [{ one: 1 }]);
    }
  },

  "of several hosts the first that works, and is as the URL wants it, is taken": async (
    { url },
  ) => {
    const [, port = ""] = /:(\d+)\//.exec(url) ?? [];
    const hosts = url.replace(`127.0.0.1:${port}`, `127.0.0.1:${freePort()},127.0.0.1:${port}`);
    for (const wanted of ["any", "primary", "read-write", "prefer-standby"]) {
      const one = connect(`${hosts}?target_session_attrs=${wanted}`, { max: 2 });
      const answers = await Promise.all([1, 2, 3, 4].map(() => one`select 1 as one`));
      assertEquals(answers.map((rows) => [...rows]), Array(4).fill([{ one: 1 }]), wanted);
      await one.end();
    }
    for (const unwanted of ["standby", "read-only"]) {
      const none = connect(`${url}?target_session_attrs=${unwanted}`);
      await assertRejects(() => none`select 1`, StoreError, `is ${unwanted}`);
      await none.end();
    }
  },

  "questions without an answer end all connections": async ({ link, sql }) => {
    const own = connect(link, { max: 1, limitMs: 500 });
    try {
      let isLeft = false;
      const waiting = sql`select pg_sleep(60)`.then(() => false, () => isLeft = true);
      for (let question = 0; !isLeft && question < 60; question++) {
        await assertRejects(() => own.unsafe("select pg_sleep(60)"));
      }
      assert(await waiting);
    } finally {
      await own.end({ timeout: 0 });
    }
    for (;;) if (await sql`select 1`.then(() => true, () => false)) break;
  },

  "a silent server is left: queries that wait for it get an error": async ({ link, sql }) => {
    const waiting = assertRejects(() => sql`select pg_sleep(60)`.then(() => {}));
    await new Promise((resolve) => setTimeout(resolve, 100));
    link.drop();
    await waiting;
    for (;;) if (await sql`select 1`.then(() => true, () => false)) break;
  },
};

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  for (const [name, prove] of Object.entries(CASES)) {
    Deno.test(`link to PostgreSQL: ${name}`, () => onServer(prove));
  }
}
