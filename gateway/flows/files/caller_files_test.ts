import { assertEquals, assertRejects } from "@std/assert";
import type { CallerFile, CallerFileStore } from "../../ports/file_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { openKvStores } from "../../stores/kv/open.ts";
import { createVectorStores } from "../../vector_stores/vector_stores.ts";
import { CallerFiles } from "./caller_files.ts";

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
