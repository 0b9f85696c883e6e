import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { LoadedRows } from "./loaded_rows.ts";

/** Rows of a store: a version of each by its id, and the ids that were read. */
class Store {
  readonly rows = new Map<string, number>();
  readonly reads: string[] = [];
  /** Awaited by every read, after it has seen the row. */
  reading: Promise<void> = Promise.resolve();
  failing = false;

  rowsInMemory(idleMax = 4): LoadedRows<number> {
    return new LoadedRows("Row", { read: (id) => this.#read(id), idleMax });
  }

  async #read(id: string): Promise<number | undefined> {
    this.reads.push(id);
    const row = this.rows.get(id);
    await this.reading;
    if (this.failing) throw new Error("Cannot read");
    return row;
  }
}

Deno.test("a row is read once for all that use it, and stays while it is used", async () => {
  const store = new Store();
  store.rows.set("a", 1);
  const loaded = store.rowsInMemory();
  await Promise.all([loaded.pin("a"), loaded.pin("a"), loaded.pin("none")]);
  assertEquals([loaded.inUse("a"), loaded.inUse("none"), store.reads], [1, undefined, [
    "a",
    "none",
  ]]);
  for (let n = 0; n < 20; n++) loaded.set(`other ${n}`, n);
  assertEquals([loaded.pin("a"), loaded.inUse("a")], [undefined, 1]);
  for (const _ of [1, 2, 3]) loaded.unpin("a");
  for (let n = 0; n < 20; n++) loaded.set(`other ${n}`, n);
  assertEquals(loaded.known("a"), undefined);
  assertEquals(await loaded.get("a"), 1);
  assertEquals(store.reads, ["a", "none", "a"]);
});

Deno.test("a row that is not in memory is no row to decide on", () => {
  const loaded = new Store().rowsInMemory();
  assertThrows(() => loaded.inUse("a"), Error, 'Row "a" is in memory');
});

Deno.test("a row that a commit has set meanwhile wins over an older one that was read", async () => {
  const store = new Store();
  store.rows.set("a", 1);
  const { promise, resolve } = Promise.withResolvers<void>();
  store.reading = promise;
  const loaded = store.rowsInMemory();
  const pinned = loaded.pin("a");
  loaded.set("a", 2);
  assertEquals([loaded.inUse("a"), loaded.pin("a")], [2, undefined]);
  resolve();
  await pinned;
  assertEquals(loaded.inUse("a"), 2);
});

Deno.test("a read that fails keeps nothing, and the next use reads again", async () => {
  const store = new Store();
  store.rows.set("a", 1);
  store.failing = true;
  const loaded = store.rowsInMemory();
  const results = await Promise.allSettled([loaded.pin("a"), loaded.pin("a")]);
  assertEquals(results.map(({ status }) => status), ["rejected", "rejected"]);
  await assertRejects(() => loaded.get("a"), Error, "Cannot read");
  store.failing = false;
  assertEquals(await loaded.get("a"), 1);
});

Deno.test("a follower has every row of its moment that is no longer as it was", async () => {
  const store = new Store();
  for (const id of ["idle", "pinned", "later"]) store.rows.set(id, 1);
  const loaded = store.rowsInMemory();
  await loaded.get("idle");
  await loaded.pin("pinned");
  const change = async (id: string) => {
    await loaded.pin(id);
    loaded.set(id, 2);
    store.rows.set(id, 2);
    loaded.unpin(id);
  };
  const rows = loaded.follow();
  for (const id of ["idle", "pinned", "later", "new"]) await change(id);
  for (let n = 0; n < 20; n++) loaded.set(`other ${n}`, n);
  // Read again, they are not as they were at the moment of the follower.
  for (const id of ["idle", "later", "new"]) assertEquals(await loaded.get(id), 2);
  assertEquals([rows.get("idle"), rows.get("pinned"), rows.get("later")], [1, 1, 1]);
  assert(rows.has("new"));
  assertEquals(rows.get("new"), undefined);
  loaded.unfollow(rows);
  await loaded.get("unread");
  assertEquals(rows.has("unread"), false);
});
