import { assertEquals } from "@std/assert";
import type { PassageStore } from "../../gateway/ports/passage_store.ts";
import type { VectorStore, VectorStoreFile } from "../../gateway/ports/vector_stores.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

/** A store named by its id. */
export function vectorStore(id: string, createdAtMs = 1): VectorStore {
  const counts = { files: 0, passages: 0, textBytes: 0, revision: 0 };
  return { id, ownerId: "team", name: id, createdAtMs, ...counts };
}

/** Returns the stored form of a file with these passages. */
export function fileOf(
  storeId: string,
  id: string,
  passages: readonly string[],
): VectorStoreFile {
  const textBytes = new TextEncoder().encode(passages.join("")).length;
  return {
    id,
    storeId,
    filename: `${id}.txt`,
    mediaType: "text/plain",
    sizeBytes: textBytes,
    passages: passages.length,
    textBytes,
    createdAtMs: 1,
    expiresAtMs: 9_000,
    attributes: { lang: "zh", year: 2026, draft: false },
  };
}

/** The file with embeddings, and their vectors: of each passage its number, over and over. */
export function embeddedFile(
  file: VectorStoreFile,
  { id, dimensions = 1_000, space = "fake@default" }: {
    id: string;
    dimensions?: number;
    space?: string;
  },
) {
  const embeddings = { id, space, dimensions };
  const values = Array.from({ length: file.passages * dimensions }, (_, at) => at / dimensions);
  return { file: { ...file, embeddings }, embeddings, vectors: new Float32Array(values) };
}

async function readVectors(store: PassageStore, file: VectorStoreFile): Promise<Float32Array> {
  const parts = await Array.fromAsync(store.vectors(file));
  return new Float32Array(parts.flatMap((part) => [...part]));
}

async function read(store: PassageStore, file: VectorStoreFile): Promise<string[]> {
  return (await Array.fromAsync(store.passages(file))).flat();
}

const CLAUSES: Clauses<PassageStore> = {
  "passages come back as they were, all and one by one": async (store) => {
    await store.createStore(vectorStore("vs_a"));
    const passages = Array.from(
      { length: 300 },
      (_, at) => `${at} ${'"\\\u0001灯\n'.repeat((at * 37) % 900)}`,
    );
    const file = fileOf("vs_a", "file_a", passages);
    assertEquals(await store.addFile(file, passages), "added");
    assertEquals(await read(store, file), passages);
    for (const at of [0, 1, 150, 298, 299]) {
      assertEquals(await store.passage(file, at), passages[at]);
    }
    assertEquals(await store.passage(file, 300), undefined);
    assertEquals(await store.passage(file, -1), undefined);
    for (const from of [0, 1, 150, 151, 299, 300]) {
      const rest = await Array.fromAsync(store.passages(file, from));
      assertEquals(rest.flat(), passages.slice(from));
    }
    assertEquals(await store.files("vs_a"), [file]);
  },

  "a description changes alone, and callers have a maximum of stores": async (store) => {
    const own = { ...vectorStore("vs_a"), isCallers: true, expiresAfterDays: 7 };
    await store.createStore(vectorStore("vs_op"), { ownerMax: 1 });
    assertEquals(await store.createStore(own, { ownerMax: 1 }), true);
    assertEquals(await store.createStore({ ...own, id: "vs_b" }, { ownerMax: 1 }), false);
    assertEquals(
      await store.createStore({ ...own, id: "vs_b", ownerId: "other" }, { ownerMax: 1 }),
      true,
    );
    await store.addFile(fileOf("vs_a", "file_1", ["x"]), ["x"]);
    const described = await store.describeStore("vs_a", {
      ...{ name: "New", metadata: { a: "b" }, expiresAfterDays: undefined, lastActiveAtMs: 5 },
    });
    const { expiresAfterDays: _gone, ...rest } = own;
    const counts = { files: 1, passages: 1, textBytes: 1, revision: 1 };
    const expected = { ...rest, ...counts, name: "New", metadata: { a: "b" }, lastActiveAtMs: 5 };
    assertEquals(JSON.parse(JSON.stringify(described)), expected);
    assertEquals(JSON.parse(JSON.stringify(store.store("vs_a"))), expected);
    assertEquals(await store.describeStore("vs_none", { name: "x" }), undefined);
    const failure = { code: "invalid_file", message: "It is damaged" } as const;
    await store.addFile({ ...fileOf("vs_a", "file_2", []), failure }, []);
    assertEquals([store.store("vs_a")?.files, store.store("vs_a")?.failed], [2, 1]);
    await store.removeFile("vs_a", "file_2");
    assertEquals([store.store("vs_a")?.files, store.store("vs_a")?.failed], [1, 0]);
  },

  "callers of an owner have a maximum of text, however many files come at once": async (store) => {
    const own = { ...vectorStore("vs_a"), isCallers: true };
    for (const each of [own, { ...own, id: "vs_b" }, { ...own, id: "vs_c", ownerId: "other" }]) {
      assertEquals(await store.createStore(each), true);
    }
    const add = (storeId: string, id: string, ownerMaxTextBytes?: number) =>
      store.addFile(fileOf(storeId, id, ["灯塔"]), ["灯塔"], { ownerMaxTextBytes });
    const added = await Promise.all(
      Array.from({ length: 8 }, (_, at) => add(at % 2 === 0 ? "vs_a" : "vs_b", `file_${at}`, 20)),
    );
    assertEquals(added.filter((each) => each === "added").length, 3);
    assertEquals(added.filter((each) => each === "owner_full").length, 5);
    assertEquals(await add("vs_c", "file_c", 6), "added", "another owner's text does not count");
    assertEquals(await add("vs_a", "file_8", 23), "owner_full");
    assertEquals(await add("vs_a", "file_8", 24), "added", "to the byte");
    assertEquals(await add("vs_b", "file_9"), "added", "an operator's file has no such limit");
    const [a, b] = await Promise.all(["vs_a", "vs_b"].map((id) => store.files(id)));
    assertEquals([...a ?? [], ...b ?? []].length, 5);
  },

  "a store is found by its id, and with the others of its owner": async (store) => {
    await store.createStore(vectorStore("vs_b", 2));
    await store.createStore(vectorStore("vs_a", 1));
    await store.createStore({ ...vectorStore("vs_c"), ownerId: 'te"am\0' });
    assertEquals((await store.find("vs_a"))?.id, "vs_a");
    assertEquals(await store.find("vs_none"), undefined);
    assertEquals((await store.storesOf("team")).map(({ id }) => id), ["vs_a", "vs_b"]);
    assertEquals((await store.storesOf('te"am\0')).map(({ id }) => id), ["vs_c"]);
    await store.removeStore("vs_a");
    assertEquals(await store.find("vs_a"), undefined);
    assertEquals((await store.storesOf("team")).map(({ id }) => id), ["vs_b"]);
  },

  "a store counts what is in it, and every change": async (store) => {
    await store.createStore(vectorStore("vs_a"));
    const one = fileOf("vs_a", "file_1", ["灯", "塔"]);
    await store.addFile(one, ["灯", "塔"]);
    await store.addFile(fileOf("vs_a", "file_2", ["x"]), ["x"]);
    const counts = { files: 2, passages: 3, textBytes: 7, revision: 2 };
    assertEquals(store.store("vs_a"), { ...vectorStore("vs_a"), ...counts });
    assertEquals(await store.removeFile("vs_a", "file_1"), true);
    const less = { files: 1, passages: 1, textBytes: 1, revision: 3 };
    assertEquals(store.store("vs_a"), { ...vectorStore("vs_a"), ...less });
    assertEquals(await store.removeFile("vs_a", "file_1"), false);
    assertEquals(await read(store, one), []);
    assertEquals(await store.passage(one, 0), undefined);
  },

  "vectors come back as they were, and are counted": async (store) => {
    await store.createStore(vectorStore("vs_a"));
    const passages = Array.from({ length: 40 }, (_, at) => `${at}`);
    const plain = fileOf("vs_a", "file_a", passages);
    const { file, vectors } = embeddedFile(plain, { id: "emb_1" });
    assertEquals(await store.addFile(file, passages, { vectors }), "added");
    assertEquals(await store.files("vs_a"), [file]);
    assertEquals(await readVectors(store, file), vectors);
    assertEquals(await read(store, file), passages);
    const counted = { "fake@default": { passages: 40, bytes: 160_000 } };
    assertEquals(store.store("vs_a")?.embeddings, counted);
    assertEquals(await readVectors(store, plain), new Float32Array());
    assertEquals(await store.removeFile("vs_a", "file_a"), true);
    assertEquals(store.store("vs_a")?.embeddings, {});
    assertEquals(await readVectors(store, file), new Float32Array());
  },

  "a file may be given embeddings, and others in their place": async (store) => {
    await store.createStore(vectorStore("vs_a"));
    const plain = fileOf("vs_a", "file_a", ["one", "two"]);
    await store.addFile(plain, ["one", "two"]);
    const first = embeddedFile(plain, { id: "emb_1" });
    assertEquals(await store.setEmbeddings(plain, first.embeddings, first.vectors), "kept");
    assertEquals(await readVectors(store, first.file), first.vectors);
    const second = embeddedFile(plain, { id: "emb_2", dimensions: 3, space: "other@3" });
    assertEquals(await store.setEmbeddings(plain, second.embeddings, second.vectors), "kept");
    assertEquals(await store.files("vs_a"), [second.file]);
    assertEquals(await readVectors(store, second.file), second.vectors);
    assertEquals(await readVectors(store, first.file), new Float32Array());
    const { embeddings, files, passages, revision, textBytes } = store.store("vs_a") ?? {};
    assertEquals(embeddings, { "other@3": { passages: 2, bytes: 24 } });
    assertEquals([files, passages, textBytes, revision], [1, 2, 6, 3]);
    assertEquals(await read(store, plain), ["one", "two"]);
    const gone = { storeId: "vs_a", id: "file_none" };
    const refused = await store.setEmbeddings(gone, second.embeddings, second.vectors);
    assertEquals(refused, "file_not_found");
  },

  "the attributes of a file change alone, with the revision": async (store) => {
    await store.createStore(vectorStore("vs_a"));
    const passages = ["one", "two"];
    const { file, vectors } = embeddedFile(fileOf("vs_a", "file_a", passages), { id: "emb_1" });
    await store.addFile(file, passages, { vectors });
    const other = fileOf("vs_a", "file_b", ["x"]);
    await store.addFile(other, ["x"]);
    const before = store.store("vs_a");
    const attributes = { room: "塔", year: 2027 };
    assertEquals(await store.setAttributes(file, attributes), { ...file, attributes });
    assertEquals(await store.files("vs_a"), [{ ...file, attributes }, other]);
    assertEquals(store.store("vs_a"), before && { ...before, revision: 3 });
    assertEquals(await read(store, file), passages);
    assertEquals(await readVectors(store, file), vectors);
    assertEquals((await store.setAttributes(file, {}))?.attributes, {});
    const gone = [{ storeId: "vs_a", id: "file_none" }, { storeId: "vs_none", id: "file_a" }];
    for (const name of gone) assertEquals(await store.setAttributes(name, attributes), undefined);
    assertEquals(store.store("vs_a")?.revision, 4);
  },

  "attributes and embeddings that are set at once are both there": async (store) => {
    await store.createStore(vectorStore("vs_a"));
    const plain = fileOf("vs_a", "file_a", ["one"]);
    await store.addFile(plain, ["one"]);
    const { embeddings, vectors } = embeddedFile(plain, { id: "emb_1" });
    const attributes = { room: "tower" };
    await Promise.all([
      store.setEmbeddings(plain, embeddings, vectors),
      store.setAttributes(plain, attributes),
    ]);
    assertEquals(await store.files("vs_a"), [{ ...plain, attributes, embeddings }]);
    // A change of a file that leaves brings nothing of it back.
    const [removed] = await Promise.all([
      store.removeFile("vs_a", "file_a"),
      store.setAttributes(plain, {}),
    ]);
    assertEquals([removed, await store.files("vs_a")], [true, []]);
    assertEquals([store.store("vs_a")?.files, store.store("vs_a")?.embeddings], [0, {}]);
  },

  "vectors take of the room, too": async (store) => {
    await store.createStore(vectorStore("vs_a"));
    const passages = Array.from({ length: 60 }, () => "x");
    const plain = fileOf("vs_a", "file_a", passages);
    const large = embeddedFile(plain, { id: "emb_1", dimensions: 4_096 });
    assertEquals(await store.addFile(large.file, passages, { vectors: large.vectors }), "added");
    const more = embeddedFile(fileOf("vs_a", "file_b", passages), { id: "emb_2", dimensions: 90 });
    assertEquals(await store.addFile(more.file, passages, { vectors: more.vectors }), "full");
    await store.addFile(fileOf("vs_a", "file_b", passages), passages);
    assertEquals(await store.setEmbeddings(more.file, more.embeddings, more.vectors), "full");
    assertEquals((await store.files("vs_a")).map(({ embeddings }) => embeddings?.id), [
      "emb_1",
      undefined,
    ]);
    // In their own place there is room.
    const again = embeddedFile(plain, { id: "emb_3", dimensions: 4_096 });
    assertEquals(await store.setEmbeddings(plain, again.embeddings, again.vectors), "kept");
  },

  "a store goes with its files; one store's files are not another's": async (store) => {
    await store.createStore(vectorStore("vs_b", 2));
    await store.createStore(vectorStore("vs_a", 1));
    const file = fileOf("vs_b", "file_b", ["b"]);
    await store.addFile(file, ["b"]);
    assertEquals(await store.removeFile("vs_a", "file_b"), false);
    assertEquals(await store.removeStore("vs_b"), true);
    assertEquals(await store.removeStore("vs_b"), false);
    assertEquals(await store.files("vs_b"), []);
    assertEquals(await read(store, file), []);
    assertEquals(await store.addFile(file, ["b"]), "store_not_found");
    assertEquals(store.stores().map(({ id }) => id), ["vs_a"]);
  },

  "of many at once only so many are taken as there is room for": async (store) => {
    await store.createStore(vectorStore("vs_a"));
    const texts = Array.from({ length: 6 }, () => "x".repeat(50_000));
    const added = await Promise.all(
      Array.from({ length: 5 }, (_, at) => store.addFile(fileOf("vs_a", `f${at}`, texts), texts)),
    );
    assertEquals(added.filter((each) => each === "added").length, 3);
    assertEquals(added.filter((each) => each === "full").length, 2);
    assertEquals(store.store("vs_a")?.files, 3);
    const created = await Promise.all(
      Array.from({ length: 5 }, (_, at) => store.createStore(vectorStore(`vs_${at}`))),
    );
    assertEquals(created.filter(Boolean).length, 2);
  },
};

/** Contract of every store of passages: one of at most 3 stores and 1 000 000 bytes, empty. */
export function passageStoreContract(name: string, open: Open<PassageStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
