import { assert, assertEquals } from "@std/assert";
import { setTimeout as delay } from "node:timers/promises";
import { PostgresCatalogStore } from "../../gateway/stores/postgres/catalogs.ts";
import { Changes } from "../../gateway/stores/postgres/changes/changes.ts";
import { connect, type Sql } from "../../gateway/stores/postgres/connection.ts";
import { PostgresKeyStore } from "../../gateway/stores/postgres/keys/keys.ts";
import { migrate } from "../../gateway/stores/postgres/migrate.ts";
import {
  newDatabase,
  postgresBin,
  type PostgresServer,
  startPostgres,
} from "../fixtures/postgres.ts";
import { catalogOf, catalogStoreContract } from "./catalog_store_contract.ts";
import { key, keyStoreContract } from "./key_store_contract.ts";

const bin = await postgresBin();
let server: (PostgresServer & AsyncDisposable) | undefined;

async function running(): Promise<PostgresServer> {
  return server ??= await startPostgres(bin ?? "");
}

/** Opens the stores of one instance; `clock.nowMs` is a time that only the test changes. */
async function openInstance(url: string, options: { listens?: boolean } = {}) {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const sql = connect(url);
  const changes = await Changes.open(url, { clock, ...options });
  const keys = await PostgresKeyStore.open(sql, changes);
  const catalogs = await PostgresCatalogStore.open(sql, changes);
  const close = async () => {
    await changes.close();
    await sql.end();
  };
  return { sql, changes, keys, catalogs, clock, close };
}

type Instance = Awaited<ReturnType<typeof openInstance>>;

/** Runs a test with two instances on one empty database. */
async function withTwo(
  prove: (one: Instance, other: Instance, url: string) => Promise<void>,
  options: { listens?: boolean } = {},
): Promise<void> {
  const { url, drop } = await newDatabase(await running());
  await migrated(url);
  const one = await openInstance(url, options);
  const other = await openInstance(url, options);
  try {
    await prove(one, other, url);
  } finally {
    await one.close();
    await other.close();
    await drop();
  }
}

async function migrated(url: string): Promise<void> {
  const sql = connect(url, { max: 1 });
  await migrate(sql);
  await sql.end();
}

/** Waits until something is so; the test's own limit of time ends a wait in vain. */
async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!await isSo()) await delay(10);
}

function contractOf<T>(pick: (instance: Instance) => T) {
  return async () => {
    const { url, drop } = await newDatabase(await running());
    await migrated(url);
    const instance = await openInstance(url);
    const close = async () => {
      await instance.close();
      await drop();
    };
    return { store: pick(instance), close };
  };
}

/** Returns a pool that counts its statements about keys. */
function counted(sql: Sql): { sql: Sql; statements: { made: number } } {
  const statements = { made: 0 };
  const counting = new Proxy(sql, {
    apply(target, self, args) {
      if (String(args[0]).includes("api_key")) statements.made++;
      return Reflect.apply(target, self, args);
    },
  });
  return { sql: counting, statements };
}

async function set(keys: PostgresKeyStore, status: "active" | "disabled" | "revoked") {
  await keys.update("key_1", (record) => ({ ...record, status }));
}

if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
} else {
  keyStoreContract("KeyStore in PostgreSQL", contractOf(({ keys }) => keys));
  catalogStoreContract("CatalogStore in PostgreSQL", contractOf(({ catalogs }) => catalogs));

  for (const listens of [true, false]) {
    const how = listens ? "by a notice" : "without notices";
    Deno.test(`other instances hear of changes of keys and the catalog, ${how}`, () =>
      withTwo(async (one, other) => {
        await one.keys.create(key("key_1", "1.a"));
        await until(() => other.keys.count() === 1);
        for (const status of ["disabled", "active", "revoked"] as const) {
          await set(one.keys, "active");
          await until(async () => {
            await other.keys.findByDigest("1.a");
            return other.keys.remembered("1.a") !== undefined;
          });
          await set(one.keys, status);
          assertEquals(
            (await other.keys.findByDigest("1.a"))?.id,
            status === "active" ? "key_1" : undefined,
          );
          if (status !== "active") await until(() => other.keys.remembered("1.a") === undefined);
        }
        const before = other.keys.created;
        await one.keys.create(key("key_2", "1.b"));
        await until(() => other.keys.created > before);
        const applied = await one.catalogs.apply(catalogOf(2), { expected: 0, note: "", atMs: 1 });
        assert(applied !== undefined);
        await until(() => isCurrent(other, 1));
        assertEquals(other.catalogs.current(), applied);
      }, { listens }));
  }

  Deno.test("a key that moved elsewhere is forgotten under its former digest", () =>
    withTwo(async (one, other) => {
      await one.keys.create(key("key_1", "1.a"));
      await other.keys.findByDigest("1.a");
      assertEquals(await one.keys.move("key_1", { from: "1.a", to: "2.a" }), true);
      await until(() => other.keys.remembered("1.a") === undefined);
      assertEquals((await other.keys.findByDigest("2.a", "1.a"))?.id, "key_1");
    }));

  Deno.test("a use of a key is noted without a word to the others", () =>
    withTwo(async (one, other) => {
      await one.keys.create(key("key_1", "1.a"));
      await other.keys.findByDigest("1.a");
      const last = async () => (await one.sql`select last from change_head`)[0]?.last;
      const before = await last();
      await one.keys.update("key_1", (record) => ({ ...record, lastUsedAtMs: 60_000 }));
      assertEquals(await last(), before);
      assertEquals((await other.keys.get("key_1"))?.lastUsedAtMs, 60_000);
    }));

  Deno.test("instances create each key and each catalog version once", () =>
    withTwo(async (one, other) => {
      const keys = [one.keys, other.keys];
      const created = await Promise.all(keys.map((each, n) => each.create(key(`key_${n}`, "1.a"))));
      assertEquals(created.toSorted(), [false, true]);
      const options = { expected: 0, note: "", atMs: 1 };
      const applied = await Promise.all(
        [one, other].map(({ catalogs }, n) => catalogs.apply(catalogOf(n + 1), options)),
      );
      const [winner] = applied.filter((each) => each !== undefined);
      assertEquals(applied.filter((each) => each === undefined).length, 1);
      // The one that came too late has the other's version at once.
      assertEquals([one, other].map(({ catalogs }) => catalogs.current()), [winner, winner]);
    }));

  Deno.test("no change is lost when instances change one key at once", () =>
    withTwo(async (one, other) => {
      await one.keys.create(key("key_1", "1.a", { createdAtMs: 0 }));
      const add = ({ keys }: Instance) =>
        keys.update("key_1", (record) => ({ ...record, createdAtMs: record.createdAtMs + 1 }));
      await Promise.all(Array.from({ length: 20 }, (_, n) => add(n % 2 === 0 ? one : other)));
      assertEquals((await one.keys.get("key_1"))?.createdAtMs, 20);
    }));

  Deno.test("an instance whose connection was cut hears of changes again, by notices", () =>
    withTwo(async (one, other) => {
      await one.keys.create(key("key_1", "1.a"));
      const listeners = () =>
        one.sql<{ pid: number }[]>`
          select pid from pg_stat_activity where query like ${"%pg_listening_channels%"}
            and pid <> pg_backend_pid() and datname = current_database()
        `;
      const cut = (await listeners()).map(({ pid }) => pid);
      assertEquals(cut.length, 2);
      await one.sql`select pg_terminate_backend(pid) from unnest(${cut}::int[]) as p(pid)`;
      await until(async () =>
        (await listeners()).filter(({ pid }) => !cut.includes(pid)).length === 2
      );
      await until(async () => {
        await other.keys.findByDigest("1.a");
        return other.keys.remembered("1.a") !== undefined;
      });
      await set(one.keys, "revoked");
      await until(() => other.keys.remembered("1.a") === undefined);
    }));

  Deno.test("an instance that missed changes forgets all keys", () =>
    withTwo(async (one, other) => {
      await one.keys.create(key("key_1", "1.a"));
      await until(() => other.changes.number === 1);
      await other.keys.findByDigest("1.a");
      assertEquals(other.keys.remembered("1.a")?.id, "key_1");
      await one.sql`update change_head set last = last + 7`;
      await until(() => other.keys.remembered("1.a") === undefined);
    }));

  Deno.test("memory is not used while the database has not answered for 900 ms", async () => {
    const own = await startPostgres(bin);
    const { url } = await newDatabase(own);
    await migrated(url);
    const instance = await openInstance(url);
    const { keys, clock } = instance;
    try {
      await keys.create(key("key_1", "1.a"));
      await keys.findByDigest("1.a");
      assertEquals(keys.remembered("1.a")?.id, "key_1");
      await own.stop("immediate");
      clock.nowMs = 899;
      assertEquals(keys.remembered("1.a")?.id, "key_1");
      clock.nowMs = 900;
      assertEquals(keys.remembered("1.a"), undefined);
      await own.start();
      await until(() => keys.remembered("1.a") !== undefined);
    } finally {
      await instance.close();
      await own[Symbol.asyncDispose]();
    }
  });

  Deno.test("a look for a key is one prepared statement, the same for every digest", async () => {
    const { url, drop } = await newDatabase(await running());
    await migrated(url);
    const pool = connect(url, { max: 1 });
    const { sql, statements } = counted(pool);
    const clock = { monotonicMs: () => 0 };
    const changes = await Changes.open(url, { clock });
    const keys = await PostgresKeyStore.open(sql, changes);
    try {
      await keys.create(key("key_1", "1.a"));
      await keys.create(key("key_2", "1.b", { status: "revoked" }));
      for (const digests of [["1.a"], ["1.b"], ["1.none"], [""], ["2.a", "1.a"]]) {
        const before = statements.made;
        await keys.findByDigest(...digests);
        assertEquals(statements.made - before, 1, digests.join());
      }
      const prepared = await pool`
        select statement from pg_prepared_statements
        where statement like ${"%select digest, data, (select last%"}
      `;
      assertEquals(prepared.length, 1);
    } finally {
      await changes.close();
      await pool.end();
      await drop();
    }
  });

  Deno.test("the server of these tests stops", async () => {
    await server?.[Symbol.asyncDispose]();
  });
}

/** True when an instance has a version of the catalog in force. */
function isCurrent({ catalogs }: Instance, version: number): boolean {
  try {
    return catalogs.current().version === version;
  } catch {
    // It has none yet.
    return false;
  }
}
