import { assertEquals, assertRejects } from "@std/assert";
import type { CallerFile, CallerFileStore } from "../../ports/file_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { openKvStores } from "../../stores/kv/open.ts";
import { createSystemRng } from "../../system/rng.ts";
import { createVectorStores } from "../../vector_stores/vector_stores.ts";
import { ServiceFault } from "../../domain/fault.ts";
import { CallerFiles, type FilePage } from "./caller_files.ts";

Deno.test("a file that cannot be removed stops the upkeep of no other", async () => {
  const stores = await openKvStores(":memory:");
  const clock = { nowMs: () => 10_000, monotonicMs: () => 0 };
  const rng = { id: (prefix: string) => prefix, next: () => 0.5 };
  const vectorStores = createVectorStores({ passages: stores.passages, clock, rng });
  for (const id of ["file_a", "file_b"]) {
    const file: CallerFile = {
      ...{ id, ownerId: "team", filename: "a.txt", mediaType: "text/plain", bytes: 0 },
      ...{ purpose: "assistants", createdAtMs: 1, expiresAtMs: 2 },
    };
    await stores.callerFiles.begin(id, 1);
    await stores.callerFiles.finish(file, { maxBytes: 1, maxFiles: 2 });
  }
  const store = stores.callerFiles;
  const callerFiles: CallerFileStore = {
    ...{ begin: store.begin.bind(store), writePart: store.writePart.bind(store) },
    ...{ finish: store.finish.bind(store), discard: store.discard.bind(store) },
    ...{ get: store.get.bind(store), list: store.list.bind(store) },
    ...{ page: store.page.bind(store) },
    ...{ content: store.content.bind(store), all: store.all.bind(store) },
    sweepUploads: store.sweepUploads.bind(store),
    remove: (ownerId, id) =>
      id === "file_a" ? Promise.reject(new StoreError("Disk full")) : store.remove(ownerId, id),
  };
  await stores.callerFiles.begin("file_left", 1);
  await vectorStores.create("Old", { ownerId: "team", isCallers: true, expiresAfterDays: 0 });
  const late = { ...clock, nowMs: () => 10_000_000 };
  const files = new CallerFiles({ callerFiles, vectorStores, clock: late, rng });
  await assertRejects(() => files.sweep(), StoreError, "Disk full");
  assertEquals((await store.list("team")).map(({ id }) => id), ["file_a"]);
  assertEquals(vectorStores.list(), []);
  assertEquals(stores.passages.stores(), []);
  assertEquals(await store.sweepUploads(2), 0);
  await vectorStores.close();
  await stores.close();
});

Deno.test("pages have the files that are shown, each once, however many are left out", async () => {
  const stores = await openKvStores(":memory:");
  const { callerFiles } = stores;
  let nowMs = 1_000;
  const clock = { nowMs: () => nowMs, monotonicMs: () => 0 };
  const rng = createSystemRng(clock);
  const vectorStores = createVectorStores({ passages: stores.passages, clock, rng });
  const files = new CallerFiles({ callerFiles, vectorStores, clock, rng });
  const key = { walletId: "team" };
  const wanted: string[] = [];
  for (let at = 0; at < 250; at++, nowMs++) {
    const [hasExpired, purpose] = [at % 7 < 5, at % 2 === 0 ? "assistants" : "user_data"];
    const file: CallerFile = {
      ...{ id: rng.id("file"), ownerId: "team", filename: "a.txt", mediaType: "text/plain" },
      ...{ bytes: 0, purpose, createdAtMs: nowMs, expiresAtMs: hasExpired ? nowMs : 1e9 },
    };
    await callerFiles.begin(file.id, 1);
    await callerFiles.finish(file, { maxBytes: 1, maxFiles: 1_000 });
    if (!hasExpired && purpose === "user_data") wanted.push(file.id);
  }
  const pages = async (first: FilePage) => {
    const ids: string[] = [];
    let after: string | undefined;
    for (;;) {
      const page = await files.page(key, { ...first, after });
      ids.push(...page.files.map(({ id }) => id));
      if (!page.hasMore) return ids;
      assertEquals(page.files.length, first.limit);
      after = ids.at(-1);
    }
  };
  for (const limit of [1, 4, wanted.length, 10_000]) {
    const page = { limit, purpose: "user_data" };
    assertEquals(await pages({ ...page, order: "asc" }), wanted);
    assertEquals(await pages({ ...page, order: "desc" }), wanted.toReversed());
  }
  const all = (await files.list(key)).map(({ id }) => id);
  assertEquals(await pages({ limit: 9, order: "asc" }), all);
  assertEquals(await pages({ limit: all.length, order: "desc" }), all.toReversed());
  const [first = "", second = "", third = ""] = all;
  await files.delete(key, second);
  const next = await files.page(key, { limit: 1, order: "asc", after: second });
  assertEquals(next.files.map(({ id }) => id), [third], "a deleted one has its place");
  const before = await files.page(key, { limit: 5, order: "asc", before: second });
  assertEquals([before.files.map(({ id }) => id), before.hasMore], [[first], false]);
  for (const id of ["file_x", "vs_01j00000000000000000000000"]) {
    const page = { limit: 1, order: "asc", before: id } as const;
    const fault = await assertRejects(() => files.page(key, page), ServiceFault, "no item");
    assertEquals([fault.code, fault.param], ["invalid_request", "before"]);
  }
  await vectorStores.close();
  await stores.close();
});
