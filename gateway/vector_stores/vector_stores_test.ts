import { assert, assertEquals, assertRejects } from "@std/assert";
import type { VectorStoreOutcome, VectorStores } from "../ports/vector_stores.ts";
import type { KvStores } from "../stores/kv/open.ts";
import { StoreError } from "../ports/store_error.ts";
import { openKvStores } from "../stores/kv/open.ts";
import { LoadedIndexes } from "./loaded_indexes.ts";
import { createVectorStores, type VectorStoresDeps } from "./vector_stores.ts";

const encoder = new TextEncoder();

async function withStores(
  run: (vectorStores: VectorStores, stores: KvStores) => Promise<void>,
  options: Partial<VectorStoresDeps> & { maxStores?: number; maxBytes?: number } = {},
): Promise<void> {
  let ms = 0;
  let ids = 0;
  const stores = await openKvStores(":memory:", { passageRetention: options });
  const vectorStores = createVectorStores({
    passages: stores.passages,
    clock: { nowMs: () => ++ms, monotonicMs: () => ms },
    rng: { id: (prefix) => `${prefix}_${++ids}`, next: () => 0.5 },
    ...options,
  });
  try {
    await run(vectorStores, stores);
  } finally {
    await vectorStores.close();
    await stores.close();
  }
}

function value<T>(outcome: VectorStoreOutcome<T>): T {
  assert(outcome.ok, JSON.stringify(outcome));
  return outcome.value;
}

async function storeOf(
  vectorStores: VectorStores,
  texts: Record<string, string>,
  ownerId = "team",
): Promise<string> {
  const { id } = value(await vectorStores.create("Books", { ownerId }));
  for (const [filename, text] of Object.entries(texts)) await add(vectorStores, id, filename, text);
  return id;
}

async function add(
  vectorStores: VectorStores,
  id: string,
  ...[filename, text, attributes]: [string, string, Record<string, string>?]
) {
  const file = { filename, mediaType: "text/plain", bytes: encoder.encode(text), attributes };
  return value(await vectorStores.addFile(id, file));
}

Deno.test("an added file is found, with its name; a removed one is not", async () => {
  await withStores(async (vectorStores) => {
    const id = await storeOf(vectorStores, { "a.txt": "The red lamp", "b.txt": "The green lamp" });
    const search = async (text: string) =>
      value(await vectorStores.search("team", { storeIds: [id], text }));
    const [hit, ...others] = await search("green");
    assertEquals(others, []);
    assert(hit !== undefined);
    assertEquals({ ...hit, score: 0 }, {
      storeId: id,
      fileId: hit.fileId,
      filename: "b.txt",
      score: 0,
      text: "The green lamp",
      attributes: {},
    });
    // A repeated name is another file; a loaded index is updated.
    await add(vectorStores, id, "b.txt", "A green door");
    assertEquals((await search("green")).map(({ text }) => text).sort(), [
      "A green door",
      "The green lamp",
    ]);
    assertEquals(await vectorStores.removeFile(id, hit.fileId), true);
    assertEquals(await vectorStores.removeFile(id, hit.fileId), false);
    assertEquals((await search("green")).map(({ text }) => text), ["A green door"]);
    assertEquals((await search("lamp")).length, 1);
    for (const { id: fileId } of await vectorStores.files(id) ?? []) {
      await vectorStores.removeFile(id, fileId);
    }
    assertEquals(await search("lamp"), []);
    await add(vectorStores, id, "c.txt", "Another lamp");
    assertEquals((await search("lamp")).map(({ filename }) => filename), ["c.txt"]);
  });
});

Deno.test("unknown stores and another owner's are refused alike, by name", async () => {
  await withStores(async (vectorStores) => {
    const own = await storeOf(vectorStores, { "a.txt": "lamp" });
    const foreign = await storeOf(vectorStores, { "a.txt": "lamp" }, "other");
    for (const id of [foreign, "vs_unknown", "", "\ud800"]) {
      assertEquals(await vectorStores.search("team", { storeIds: [own, id], text: "lamp" }), {
        ok: false,
        refusal: { code: "store_not_found", id },
      });
    }
    const storeIds = Array.from({ length: 21 }, (_, at) => `vs_${at}`);
    const many = await vectorStores.search("team", { storeIds, text: "lamp" });
    assertEquals(many.ok || many.refusal.code, "too_large");
    assertEquals(vectorStores.list("team").map(({ id }) => id), [own]);
    assertEquals(vectorStores.list().length, 2);
    assertEquals(await vectorStores.remove(own), true);
    assertEquals(await vectorStores.remove(own), false);
    assertEquals(await vectorStores.files(own), undefined);
  });
});

Deno.test("several stores are searched as one; threshold, limit and filter apply", async () => {
  await withStores(async (vectorStores) => {
    const one = await storeOf(vectorStores, { "a.txt": "lamp oil and wick", "b.txt": "no match" });
    const two = await storeOf(vectorStores, {});
    await add(vectorStores, two, "zh.txt", "lamp 灯塔", { lang: "zh" });
    await add(vectorStores, two, "en.txt", "lamp house, tower, stair and gate", { lang: "en" });
    const search = async (more: object) => {
      const query = { storeIds: [one, two, one], text: "lamp oil", ...more };
      return value(await vectorStores.search("team", query)).map(({ filename }) => filename);
    };
    assertEquals((await search({}))[0], "a.txt");
    assertEquals((await search({})).length, 3);
    assertEquals(await search({ maxResults: 1 }), ["a.txt"]);
    assertEquals(await search({ scoreThreshold: 0.5 }), ["a.txt"]);
    const filter = { type: "eq", key: "lang", value: "zh" } as const;
    assertEquals(await search({ filter }), ["zh.txt"]);
    assertEquals(await search({ filter: { ...filter, value: "fr" } }), []);
    assertEquals(await search({ storeIds: [] }), []);
  });
});

Deno.test("new attributes select from the next search on; the index is not read again", async () => {
  await withStores(async (vectorStores, { passages }) => {
    let reads = 0;
    const { passages: read } = passages;
    passages.passages = (file) => {
      reads++;
      return read.call(passages, file);
    };
    const id = await storeOf(vectorStores, {});
    const { id: fileId } = await add(vectorStores, id, "a.txt", "lamp", { room: "cellar" });
    await add(vectorStores, id, "b.txt", "lamp", { room: "cellar" });
    const inRoom = async (room: string) => {
      const filter = { type: "eq", key: "room", value: room } as const;
      const hits = await vectorStores.search("team", { storeIds: [id], text: "lamp", filter });
      return value(hits).map(({ filename, attributes }) => [filename, attributes]);
    };
    assertEquals((await inRoom("cellar")).length, 2);
    const loaded = reads;
    const changed = await vectorStores.setAttributes(id, fileId, { room: "tower", year: 2026 });
    assertEquals(changed?.attributes, { room: "tower", year: 2026 });
    assertEquals(await inRoom("tower"), [["a.txt", { room: "tower", year: 2026 }]]);
    assertEquals(await inRoom("cellar"), [["b.txt", { room: "cellar" }]]);
    assertEquals([loaded, reads], [2, 2]);
    assertEquals(await vectorStores.setAttributes(id, "file_none", {}), undefined);
  });
});

Deno.test("an unsupported file is refused by name, and nothing of it is stored", async () => {
  await withStores(async (vectorStores) => {
    const id = await storeOf(vectorStores, {});
    const codeOf = async (storeId: string, mediaType: string, bytes: Uint8Array<ArrayBuffer>) => {
      const added = await vectorStores.addFile(storeId, { filename: "f", mediaType, bytes });
      return added.ok ? "added" : added.refusal.code;
    };
    const text = encoder.encode("text");
    assertEquals(await codeOf("vs_unknown", "text/plain", text.slice()), "store_not_found");
    assertEquals(await codeOf(id, "image/png", text.slice()), "unsupported_media_type");
    assertEquals(await codeOf(id, "application/pdf", text.slice()), "unreadable");
    const large = new Uint8Array(32 * 1024 * 1024 + 1);
    assertEquals(await codeOf(id, "text/plain", large), "too_large");
    assertEquals(await codeOf(id, "text/plain", encoder.encode("x".repeat(2_000))), "full");
    assertEquals(await vectorStores.files(id), []);
    // Removed while its text is extracted.
    const adding = codeOf(id, "text/plain", text.slice());
    await vectorStores.remove(id);
    assertEquals(await adding, "store_not_found");
    value(await vectorStores.create("Two", { ownerId: "team" }));
    const third = await vectorStores.create("Three", { ownerId: "team" });
    assertEquals(third.ok || third.refusal.code, "full");
  }, { maxBytes: 1_000, maxStores: 1 });
});

Deno.test("no more is loaded than there is room for; what had to go comes back", async () => {
  await withStores(async (vectorStores, { passages }) => {
    const ids: string[] = [];
    for (const word of ["red", "green", "blue"]) {
      ids.push(await storeOf(vectorStores, { "a.txt": `${word} lamp`, "b.txt": `${word} door` }));
    }
    const indexes = new LoadedIndexes(passages, { maxPassages: 4 });
    const search = async (id: string, text: string) => {
      const store = passages.store(id);
      assert(store !== undefined);
      return (await indexes.search(store, { text, limit: 9 })).length;
    };
    const [red = "", green = "", blue = ""] = ids;
    for (const id of [red, green, blue, red, blue, green]) {
      assertEquals(await search(id, "lamp"), 1);
      assert(indexes.size <= 4);
    }
    const all = [red, green, blue, red, green, blue].map((id) => search(id, "door"));
    assertEquals(await Promise.all(all), [1, 1, 1, 1, 1, 1]);
    assert(indexes.size <= 4);
    await indexes.close();
    await assertRejects(() => search(red, "lamp"), StoreError, "shutting down");
  });
});
