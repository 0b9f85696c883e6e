import { assertEquals, assertRejects } from "@std/assert";
import { StoreError } from "../ports/store_error.ts";
import type { VectorStore, VectorStoreFile } from "../ports/vector_stores.ts";
import { type LoadedFrom, LoadedIndexes } from "./loaded_indexes.ts";

interface FakeFile {
  readonly texts: readonly string[];
  /** Promise that its reading waits for. */
  readonly after?: () => Promise<unknown>;
}

/** Returns a store with a number of passages. */
function storeOf(id: string, passages: number): VectorStore {
  return {
    id,
    ownerId: "team",
    name: id,
    createdAtMs: 0,
    files: 1,
    passages,
    textBytes: 9,
    revision: 1,
  };
}

/** Stores whose files are named by their ids. */
function passagesOf(
  stores: readonly VectorStore[],
  files: Readonly<Record<string, Readonly<Record<string, FakeFile>>>>,
): LoadedFrom & { readonly reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    store: (id) => stores.find((store) => store.id === id),
    files: (storeId) =>
      Promise.resolve(Object.keys(files[storeId] ?? {}).map((id) => fileOf(id, storeId))),
    async *passages({ id, storeId }) {
      reads.push(id);
      const file = files[storeId]?.[id];
      await file?.after?.();
      yield file?.texts ?? [];
    },
    async *vectors() {},
  };
}

function fileOf(id: string, storeId: string): VectorStoreFile {
  const sizes = { sizeBytes: 9, passages: 1, textBytes: 9, createdAtMs: 0 };
  return { id, storeId, filename: id, mediaType: "text/plain", attributes: {}, ...sizes };
}

async function textsFor(
  indexes: LoadedIndexes,
  store: VectorStore,
  text: string,
): Promise<string[]> {
  const hits = await indexes.search(store, { text, limit: 9 });
  return hits.map(({ file }) => file.id).sort();
}

/** Resolves once a condition holds; fails after a timeout. */
async function until(holds: () => boolean): Promise<void> {
  const signal = AbortSignal.timeout(30_000);
  while (!holds()) {
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

Deno.test("a small store does not wait for a large one that loads; the same store loads once", async () => {
  const disk = Promise.withResolvers<void>();
  const [large, small] = [storeOf("large", 9_000), storeOf("small", 1)];
  const passages = passagesOf([large, small], {
    large: { a: { texts: ["lamp"], after: () => disk.promise }, b: { texts: ["lamp"] } },
    small: { c: { texts: ["lamp"] } },
  });
  const indexes = new LoadedIndexes(passages);
  const first = textsFor(indexes, large, "lamp");
  const second = textsFor(indexes, large, "lamp");
  await until(() => passages.reads.length > 0);
  // Would wait for ever.
  assertEquals(await textsFor(indexes, small, "lamp"), ["c"]);
  disk.resolve();
  assertEquals(await Promise.all([first, second]), [["a", "b"], ["a", "b"]]);
  assertEquals(passages.reads, ["a", "c", "b"]);
  await indexes.close();
});

Deno.test("an index that is being loaded is not dropped for another that loads at the same time", async () => {
  const disk = Promise.withResolvers<void>();
  const [large, small, other] = [storeOf("large", 2_000), storeOf("small", 1), storeOf("other", 1)];
  const passages = passagesOf([large, small, other], {
    large: { a: { texts: ["lamp"] }, b: { texts: ["lamp"], after: () => disk.promise } },
    small: { c: { texts: ["lamp"] } },
    other: { d: { texts: ["lamp"] } },
  });
  const indexes = new LoadedIndexes(passages, { maxPassages: 1 });
  const loading = textsFor(indexes, large, "lamp");
  await until(() => passages.reads.includes("b"));
  assertEquals(await textsFor(indexes, small, "lamp"), ["c"]);
  assertEquals(await textsFor(indexes, other, "lamp"), ["d"]);
  disk.resolve();
  assertEquals(await loading, ["a", "b"]);
  assertEquals(await textsFor(indexes, large, "lamp"), ["a", "b"]);
  await indexes.close();
});

Deno.test("the thread does not rest while a store loads", async () => {
  const store = storeOf("slow", 2);
  const after = () => new Promise((resolve) => setTimeout(resolve, 20));
  const passages = passagesOf([store], {
    slow: { a: { texts: ["lamp"] }, b: { texts: ["door"], after } },
  });
  const indexes = new LoadedIndexes(passages, { idleMs: 0 });
  assertEquals(await textsFor(indexes, store, "lamp"), ["a"]);
  assertEquals(passages.reads, ["a", "b"]);
  await until(() => indexes.size === 0);
  assertEquals(await textsFor(indexes, store, "lamp"), ["a"]);
  await indexes.close();
});

Deno.test("an unused index is dropped, and read again by the next search", async () => {
  const store = storeOf("rare", 1);
  const passages = passagesOf([store], { rare: { a: { texts: ["lamp"] } } });
  const indexes = new LoadedIndexes(passages, { idleMs: 0 });
  for (const reads of [["a"], ["a", "a"], ["a", "a", "a"]]) {
    assertEquals(await textsFor(indexes, store, "lamp"), ["a"]);
    assertEquals(passages.reads, reads);
    await until(() => indexes.size === 0);
  }
  await indexes.close();
});

Deno.test("an index whose thread fails while it loads is loaded anew, not kept by half", async () => {
  const disk = Promise.withResolvers<void>();
  const [large, broken] = [storeOf("large", 9_000), storeOf("broken", 1)];
  const passages = passagesOf([large, broken], {
    large: { a: { texts: ["lamp"] }, b: { texts: ["lamp"], after: () => disk.promise } },
    // No text: the thread ends with an error.
    broken: { c: { texts: JSON.parse("[1]") } },
  });
  const indexes = new LoadedIndexes(passages);
  const loading = textsFor(indexes, large, "lamp");
  await until(() => passages.reads.includes("b"));
  await assertRejects(() => textsFor(indexes, broken, "lamp"), StoreError, "the index has failed");
  disk.resolve();
  assertEquals(await loading, ["a", "b"]);
  assertEquals(await textsFor(indexes, large, "lamp"), ["a", "b"]);
  assertEquals(passages.reads, ["a", "b", "c", "a", "b"]);
  await indexes.close();
});
