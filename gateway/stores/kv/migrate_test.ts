import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { StoreError } from "../../ports/store_error.ts";
import type { Migration, MigrationProgress } from "./migrate.ts";
import { openKvStores } from "./open.ts";
import { type Head, HEAD_KEY } from "./rows.ts";

const ROWS = 5;
/** Commits of the two migrations below: each begins, changes a row at a time, and ends. */
const COMMITS = 2 * (ROWS + 2);

/** Moves each row to another name, one per commit. */
function moving(to: number, names: { from: string; into: string }): Migration {
  return {
    to,
    what: `call ${names.from} ${names.into}`,
    async *batches(kv) {
      const old = await Array.fromAsync(kv.list<string>({ prefix: [names.from] }));
      for (const [index, { key, value }] of old.entries()) {
        const [, id = ""] = key;
        const row = { key: [names.into, id], value, bytes: 8 };
        yield { rows: [row, { key, bytes: 0 }], done: index + 1, total: old.length };
      }
    },
  };
}

/** Options of the version with the first layout. */
const FIRST = { migrations: [], program: "0.1.0" };

const MIGRATIONS = [
  moving(2, { from: "first", into: "second" }),
  moving(3, { from: "second", into: "third" }),
];

async function withFile(test: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(join(folder, "svc.kv"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Writes a store of schema 1 with the rows to move. */
async function writeOld(path: string): Promise<void> {
  const { ledger, close } = await openKvStores(path, FIRST);
  await ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs: 1 });
  await close();
  const kv = await Deno.openKv(path);
  for (let n = 0; n < ROWS; n++) await kv.set(["first", n], `row ${n}`);
  kv.close();
}

async function rowsOf(path: string, prefix: string): Promise<string[]> {
  const kv = await Deno.openKv(path);
  const rows = await Array.fromAsync(kv.list<string>({ prefix: [prefix] }));
  kv.close();
  return rows.map(({ value }) => value);
}

/** A database that dies before its commit of this number. */
async function dyingKv(path: string, commits: number): Promise<Deno.Kv> {
  const kv = await Deno.openKv(path);
  let remaining = commits;
  return new Proxy(kv, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        if (name === "atomic" && remaining-- === 0) throw new StoreError("Killed here");
        return value.apply(target, args);
      };
    },
  });
}

Deno.test("an older store is brought to the newest layout, step by step", async () => {
  await withFile(async (path) => {
    await writeOld(path);
    const progress: MigrationProgress[] = [];
    const options = { migrations: MIGRATIONS, program: "0.3.0" };
    const stores = await openKvStores(path, {
      ...options,
      onMigration: (one) => progress.push(one),
    });
    assertEquals((await stores.verify()).problems, []);
    await stores.close();
    assertEquals(await rowsOf(path, "third"), ["row 0", "row 1", "row 2", "row 3", "row 4"]);
    assertEquals([await rowsOf(path, "first"), await rowsOf(path, "second")], [[], []]);
    const steps = progress.map(({ to, state, done }) => `${to} ${state} ${done}`);
    assertEquals(steps.slice(0, 3), ["2 begins 0", "2 works 1", "2 works 2"]);
    assertEquals(steps.at(-1), "3 ends 5");
    const again = await openKvStores(path, {
      ...options,
      onMigration: () => assert(false, "nothing is left to do"),
    });
    await again.close();
  });
});

Deno.test("a migration that is killed at any commit continues at the next start", async () => {
  for (let commits = 0; commits < COMMITS; commits++) {
    await withFile(async (path) => {
      await writeOld(path);
      const options = { migrations: MIGRATIONS, program: "0.3.0" };
      const openKv = (name: string) => dyingKv(name, commits);
      await assertRejects(() => openKvStores(path, { ...options, openKv }), StoreError, "Killed");
      if (commits > 0) {
        // From the first change on, the older version refuses the store.
        await assertRejects(() => openKvStores(path, FIRST), StoreError, "svc 0.3.0 wrote it in");
      }
      const stores = await openKvStores(path, options);
      await stores.close();
      assertEquals((await rowsOf(path, "third")).length, ROWS, `killed at commit ${commits}`);
    });
  }
});

Deno.test("a store of a later version is refused and stays unchanged", async () => {
  await withFile(async (path) => {
    await writeOld(path);
    await (await openKvStores(path, { migrations: MIGRATIONS, program: "0.3.0" })).close();
    const before = await headOf(path);
    await assertRejects(
      () => openKvStores(path, FIRST),
      StoreError,
      "Cannot open the store: svc 0.3.0 wrote it in schema 3, and this svc, 0.1.0, knows schemas " +
        "up to 1; start that version again, or restore a backup from before the upgrade",
    );
    assertEquals(await headOf(path), before);
  });
});

Deno.test("a store without the name of its writer is refused too, and one of no way on", async () => {
  await withFile(async (path) => {
    await writeOld(path);
    const kv = await Deno.openKv(path);
    const { value } = await kv.get<Head>(HEAD_KEY);
    assert(value !== null);
    const { writtenBy: _by, ...head } = value;
    await kv.set(HEAD_KEY, { ...head, schema: 7 });
    kv.close();
    await assertRejects(() => openKvStores(path), StoreError, "a later svc wrote it in schema 7");
    const later = [moving(9, { from: "first", into: "second" })];
    await assertRejects(
      () => openKvStores(path, { migrations: later }),
      StoreError,
      "it has schema 7, from which this version of svc cannot migrate",
    );
  });
});

Deno.test("a migration stops where another process has taken the store", async () => {
  await withFile(async (path) => {
    await writeOld(path);
    const thief: Migration = {
      to: 2,
      what: "be robbed",
      async *batches(kv) {
        const { value } = await kv.get<Head>(HEAD_KEY);
        await kv.set(HEAD_KEY, { ...value, session: "another" });
        yield { rows: [{ key: ["lost"], value: 1, bytes: 8 }], done: 1, total: 1 };
      },
    };
    await assertRejects(
      () => openKvStores(path, { migrations: [thief] }),
      StoreError,
      "Cannot migrate the store: another process writes to it",
    );
    assertEquals(await rowsOf(path, "lost"), []);
  });
});

async function headOf(path: string): Promise<unknown> {
  const kv = await Deno.openKv(path);
  const { value } = await kv.get<Head>(HEAD_KEY);
  kv.close();
  return value;
}
