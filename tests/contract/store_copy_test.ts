import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { StoreError } from "../../gateway/ports/store_error.ts";
import type { Stores } from "../../gateway/ports/stores.ts";
import { copyStore, type StoreCopy } from "../../gateway/store_copy/copy_store.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { openPostgresStores } from "../../gateway/stores/postgres/open.ts";
import type { StorePlace } from "../../gateway/system/store_place.ts";
import { FILLED_AT_MS, fillStore } from "../fixtures/filled_store.ts";
import { newDatabase, postgresBin, startPostgres } from "../fixtures/postgres.ts";
import { linesUntilKilled } from "./killed_process.ts";
import { brokenPlace } from "../../gateway/system/trail_check.ts";
import { draft } from "./operator_store_contract.ts";
import { key } from "./key_store_contract.ts";
import { credit, hold } from "./ledger_store_contract.ts";

const nowMs = () => FILLED_AT_MS;
const CALLS = 60;
/** Ids of corrections, of which the last one was not applied. */
const OPERATIONS = ["debit 1", "adjust 1", "tier 1", "move 1", "refund:log_1", "close 1", "waits"];

/** A folder with a filled store, and new places for copies. */
interface Places {
  readonly filled: StorePlace;
  file(name: string): StorePlace;
  database(): Promise<StorePlace>;
}

const bin = await postgresBin();
if (bin === undefined) {
  console.error("SKIPPED: no PostgreSQL: install Debian's package postgresql, or set PG_BIN");
}

let filled: Uint8Array | undefined;

/** Returns the file of a filled store. */
async function filledStore(): Promise<Uint8Array> {
  const folder = await Deno.makeTempDir();
  try {
    const path = join(folder, "filled.kv");
    await fillStore(path, { calls: CALLS });
    // A closed store may have left changes in SQLite's log.
    await assertRejects(() => Deno.stat(`${path}-wal`), Deno.errors.NotFound);
    return await Deno.readFile(path);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function withPlaces(test: (places: Places) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  await using stack = new AsyncDisposableStack();
  stack.defer(() => Deno.remove(folder, { recursive: true }));
  const file = (name: string): StorePlace => ({ kind: "kv", path: join(folder, name) });
  let server: Awaited<ReturnType<typeof startPostgres>> | undefined;
  const database = async (): Promise<StorePlace> => {
    server ??= stack.use(await startPostgres(bin ?? ""));
    return { kind: "postgres", url: (await newDatabase(server)).url };
  };
  filled ??= await filledStore();
  await Deno.writeFile(join(folder, "filled.kv"), filled);
  await test({ filled: file("filled.kv"), file, database });
}

function copy(from: StorePlace, to: StorePlace): Promise<StoreCopy> {
  return copyStore({ from, to, nowMs });
}

function open(place: StorePlace): Promise<Stores> {
  if (place.kind === "kv") return openKvStores(place.path, { nowMs });
  return openPostgresStores(place.url, { clock: { nowMs, monotonicMs: () => performance.now() } });
}

async function using<T>(place: StorePlace, work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await open(place);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** Reads that the fingerprints of a copy do not cover: by digest, by item, by position, sums. */
async function answersOf(stores: Stores) {
  const { keys, responses, log, ledger, votes, snapshots, operatorStore, trailStore } = stores;
  const { corrections } = stores;
  const range = { sinceMs: FILLED_AT_MS - 72 * 3_600_000, untilMs: FILLED_AT_MS };
  const { cursor } = await votes.since(undefined, 100);
  await votes.put({
    ...{ walletId: "w", keyId: "k", source: `${Math.random()}`, score: 1, logId: "log_later" },
    ...{ atMs: FILLED_AT_MS, model: "m", task: "t", load: 1 },
  });
  return {
    counts: [keys.count(), ledger.walletCount()],
    active: await keys.findByDigest("1.0"),
    closed: [await keys.findByDigest("1.1"), await keys.hasDigest("1.1")],
    newest: (await keys.page({ limit: 3 })).keys,
    item: await responses.withItem("w", "msg_0"),
    sums: (await log.overview(range)).total,
    spend: await ledger.keySpend("key_first"),
    paidTwice: await ledger.credit(credit("paid 0", 1_000_000n)),
    reused: await ledger.credit(credit("paid 0", 5n)),
    votes: [cursor, (await votes.since(cursor, 10)).votes.length, (await votes.of("log_4")).length],
    snapshot: [await snapshots.frozen(), await snapshots.latest()],
    page: (await log.search({ limit: 3, order: "oldest" })).records,
    operators: await operatorStore.all(),
    corrections: await corrections.all(),
    applied: await Promise.all(OPERATIONS.map((id) => corrections.operation(id))),
    moved: [await keys.get("key_5"), (await Array.fromAsync(keys.ofWallet("w"))).length],
    audit: [await trailStore.head(), (await trailStore.page({ limit: 2 })).entries],
  };
}

/** Checks that a copy is a store to go on with. */
async function assertGoesOn(place: StorePlace, expected: object): Promise<void> {
  await using(place, async (stores) => {
    assertEquals(await answersOf(stores), expected);
    assert((await stores.ledger.hold(hold("after", 10n), { waitMs: 0 })).ok);
    assert(await stores.keys.create(key("key_after", "1.after")));
    assertEquals((await stores.verify()).problems, []);
    const [kim] = await stores.operatorStore.all();
    assert(kim !== undefined);
    const changed = { ...kim, state: "disabled", version: kim.version + 1 } as const;
    assert(await stores.operatorStore.put(changed, draft(FILLED_AT_MS)));
    assertEquals((await brokenPlace(stores.trailStore)).problem, undefined);
  });
}

Deno.test("a copy of a file in another file has everything, and goes on", async () => {
  await withPlaces(async ({ filled, file }) => {
    const { parts, from, to } = await copy(filled, file("copy.kv"));
    assertEquals([from.entries, from.openHolds], [to.entries, 0]);
    for (const { name, items } of parts) assert(items > 0, name);
    const expected = await using(filled, answersOf);
    // Sums count requests whose rows are gone.
    const rows = parts.find(({ name }) => name === "request log")?.items ?? 0;
    assert(rows < expected.sums.requests, `${rows}`);
    await assertGoesOn(file("copy.kv"), expected);
  });
});

Deno.test("a copy needs an empty target, a source, and both alone", async () => {
  await withPlaces(async ({ filled, file }) => {
    await using(file("used.kv"), ({ settings }) => settings.set("some", "thing"));
    await assertRejects(() => copy(filled, file("used.kv")), StoreError, "not empty");
    await assertRejects(() => copy(filled, filled), StoreError, "the same store");
    await assertRejects(() => copy(file("none.kv"), file("new.kv")), StoreError, "name its file");
    await using(filled, async () => {
      await assertRejects(() => copy(filled, file("new.kv")), StoreError, "another process");
    });
    await copy(filled, file("new.kv"));
    await assertRejects(() => copy(filled, file("new.kv")), StoreError, "not empty");
  });
});

Deno.test("a source that was used after a break of the copy is noticed", async () => {
  await withPlaces(async ({ filled, file }) => {
    await breakAt(9, filled, file("copy.kv"));
    await using(filled, ({ keys }) =>
      keys.update("key_2", (record) => ({
        ...record,
        status: "revoked",
      })));
    const again = () => copy(filled, file("copy.kv"));
    await assertRejects(again, StoreError, 'differs in "keys"');
  });
});

Deno.test("an audit log that was changed is not copied", async () => {
  await withPlaces(async ({ filled, file }) => {
    assert(filled.kind === "kv");
    const kv = await Deno.openKv(filled.path);
    const key = ["audit_trail", 9];
    const { value } = await kv.get<Uint8Array>(key);
    const text = new TextDecoder().decode(value ?? undefined).replace(
      "createWallet",
      "closeWallet",
    );
    await kv.set(key, new TextEncoder().encode(text));
    kv.close();
    await assertRejects(() => copy(filled, file("copy.kv")), StoreError, "audit log");
  });
});

/** Begins a copy in a process of its own, and kills that after so many lines. */
async function breakAt(lines: number, from: StorePlace, to: StorePlace): Promise<string[]> {
  const url = new URL("store_copy_child.ts", import.meta.url).href;
  const args = [from, to].map((place) => place.kind === "kv" ? place.path : place.url);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--quiet", "--allow-all", url, ...args],
    stdout: "piped",
    stdin: "null",
  }).spawn();
  return await linesUntilKilled(child, lines);
}

Deno.test("a copy that is killed again and again goes on where it was", async () => {
  await withPlaces(async ({ filled, file }) => {
    const to = file("copy.kv");
    const steps = new Set<string>();
    for (const lines of [2, 4, 6, 8, 9, 12]) {
      for (const line of await breakAt(lines, filled, to)) steps.add(line.split(":")[0] ?? "");
    }
    assert(steps.has("journal"), [...steps].join());
    await copy(filled, to);
    await assertGoesOn(to, await using(filled, answersOf));
  });
});

if (bin !== undefined) {
  Deno.test("a store goes from a file to PostgreSQL, to PostgreSQL, and back to a file", async () => {
    await withPlaces(async ({ filled, file, database }) => {
      const [one, two, back] = [await database(), await database(), file("back.kv")];
      const first = await copy(filled, one);
      await copy(one, two);
      const last = await copy(two, back);
      assertEquals(last.parts, first.parts);
      const expected = await using(filled, answersOf);
      for (const place of [back, two, one]) await assertGoesOn(place, expected);
    });
  });

  Deno.test("a copy into PostgreSQL that is killed goes on where it was", async () => {
    await withPlaces(async ({ filled, database }) => {
      const to = await database();
      for (const lines of [8, 12]) await breakAt(lines, filled, to);
      await copy(filled, to);
      await assertGoesOn(to, await using(filled, answersOf));
    });
  });

  Deno.test("a database in use is refused as a source and as a target", async () => {
    await withPlaces(async ({ filled, file, database }) => {
      const place = await database();
      const stores = await open(place);
      const from = { nowMs, waitMs: 500 };
      const into = () => copyStore({ ...from, from: filled, to: place });
      await assertRejects(into, StoreError, "another process uses");
      const outOf = () => copyStore({ ...from, from: place, to: file("new.kv") });
      await assertRejects(outOf, StoreError, "another process uses");
      await stores.close();
      await copy(filled, place);
    });
  });
}
