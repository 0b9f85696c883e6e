import { assertEquals } from "@std/assert";
import type { CallerFile, CallerFileStore, FileRange } from "../../gateway/ports/file_store.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

const ROOM = { maxBytes: 1_000_000, maxFiles: 3 };

/** A file named by its id. */
export function callerFile(id: string, bytes: number, ownerId = "team"): CallerFile {
  return {
    ...{ id, ownerId, bytes },
    filename: `${id}.txt`,
    mediaType: "text/plain",
    purpose: "assistants",
    createdAtMs: 1,
    expiresAtMs: 3_600_001,
  };
}

/** Uploads a file in parts of a size. */
export async function upload(
  store: CallerFileStore,
  file: CallerFile,
  { part = 100_000, room = ROOM }: { part?: number; room?: typeof ROOM } = {},
): Promise<string> {
  await store.begin(file.id, file.createdAtMs);
  const bytes = contentOf(file);
  for (let at = 0, number = 0; at < bytes.length; at += part, number++) {
    await store.writePart(file.id, number, bytes.subarray(at, at + part));
  }
  return await store.finish(file, room);
}

function contentOf({ bytes }: CallerFile): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, at) => at % 251);
}

async function read(store: CallerFileStore, file: CallerFile): Promise<Uint8Array> {
  const parts = await Array.fromAsync(store.content(file));
  return new Uint8Array(parts.flatMap((part) => [...part]));
}

const CLAUSES: Clauses<CallerFileStore> = {
  "a file comes back as it was written, for its owner alone": async (store) => {
    const file = callerFile("file_a", 250_001);
    assertEquals(await upload(store, file), "stored");
    assertEquals(await store.get("team", "file_a"), file);
    assertEquals(await store.list("team"), [file]);
    assertEquals(await read(store, file), contentOf(file));
    assertEquals(await store.get("other", "file_a"), undefined);
    assertEquals(await store.list("other"), []);
    assertEquals(await store.remove("other", "file_a"), false);
    assertEquals(await Array.fromAsync(store.all()), [file]);
  },

  "an empty file is one": async (store) => {
    const file = callerFile("file_a", 0);
    assertEquals(await upload(store, file), "stored");
    assertEquals(await read(store, file), new Uint8Array());
  },

  "an upload is no file until it is finished": async (store) => {
    await store.begin("file_a", 5);
    await store.writePart("file_a", 0, new Uint8Array(9));
    assertEquals(await store.get("team", "file_a"), undefined);
    assertEquals(await store.list("team"), []);
    assertEquals(await store.sweepUploads(5), 0);
    assertEquals(await store.sweepUploads(6), 1);
    assertEquals(await read(store, callerFile("file_a", 9)), new Uint8Array());
    assertEquals(await store.sweepUploads(1e12), 0);
  },

  "a finished file is none of the uploads that are swept": async (store) => {
    const file = callerFile("file_a", 9);
    await upload(store, file);
    assertEquals(await store.sweepUploads(1e12), 0);
    assertEquals(await read(store, file), contentOf(file));
  },

  "a file is not discarded with the upload that it was": async (store) => {
    const file = callerFile("file_a", 250_001);
    await upload(store, file);
    await store.discard("file_a");
    assertEquals(await store.get("team", "file_a"), file);
    assertEquals(await read(store, file), contentOf(file));
  },

  "an upload that was swept does not become a file": async (store) => {
    const file = callerFile("file_a", 9);
    await store.begin(file.id, file.createdAtMs);
    await store.writePart(file.id, 0, contentOf(file));
    assertEquals(await store.sweepUploads(1e12), 1);
    assertEquals(await store.finish(file, ROOM), "gone");
    assertEquals(await store.get("team", "file_a"), undefined);
  },

  "a discarded upload leaves nothing": async (store) => {
    await store.begin("file_a", 1);
    await store.writePart("file_a", 0, new Uint8Array(9));
    await store.discard("file_a");
    assertEquals(await read(store, callerFile("file_a", 9)), new Uint8Array());
    assertEquals(await store.sweepUploads(1e12), 0);
  },

  "a page has the files between two ids, in either order, and no more than asked for": async (
    store,
  ) => {
    const room = { maxBytes: 1_000, maxFiles: 20 };
    // In the order of their ids, not in that in which they were stored.
    const ids = ["c", "a", "e", "B", "d", "0", "f"].map((letter) => `file_${letter}`);
    for (const id of ids) await upload(store, callerFile(id, 1), { room });
    await upload(store, callerFile("file_b", 1, "other"), { room });
    const sorted = ids.toSorted();
    const page = async (range: Partial<FileRange>) =>
      (await store.page("team", { order: "asc", limit: 100, ...range })).map(({ id }) => id);
    assertEquals(await page({}), sorted);
    assertEquals(await page({ order: "desc" }), sorted.toReversed());
    assertEquals(await page({ limit: 2 }), ["file_0", "file_B"]);
    assertEquals(await page({ after: "file_B", limit: 2 }), ["file_a", "file_c"]);
    assertEquals(await page({ after: "file_b", limit: 2 }), ["file_c", "file_d"], "not its own");
    assertEquals(await page({ after: "file_c", before: "file_f" }), ["file_d", "file_e"]);
    assertEquals(await page({ order: "desc", after: "file_f", before: "file_c" }), [
      ...["file_e", "file_d"],
    ]);
    assertEquals(await page({ order: "desc", before: "file_e" }), ["file_f"]);
    assertEquals(await page({ after: "file_f" }), []);
    assertEquals(await page({ after: "file_e", before: "file_c" }), []);
    assertEquals(await page({ after: "file_c", before: "file_c" }), []);
    assertEquals(await store.page("nobody", { order: "asc", limit: 9 }), []);
    const [whole] = await store.page("team", { order: "asc", limit: 1 });
    assertEquals(whole, callerFile("file_0", 1));
  },

  "an owner has room for some files, and a removed one gives its room back": async (store) => {
    const ids = ["file_a", "file_b", "file_c"];
    for (const id of ids) assertEquals(await upload(store, callerFile(id, 10)), "stored");
    assertEquals(await upload(store, callerFile("file_d", 10)), "too_many");
    assertEquals(await store.get("team", "file_d"), undefined);
    assertEquals(await upload(store, callerFile("file_e", 10, "other")), "stored");
    assertEquals(await store.remove("team", "file_a"), true);
    assertEquals(await store.remove("team", "file_a"), false);
    assertEquals(await store.finish(callerFile("file_d", 10), ROOM), "stored");
    assertEquals((await store.list("team")).map(({ id }) => id), ["file_b", "file_c", "file_d"]);
  },

  "an owner has room for some bytes": async (store) => {
    const room = { maxBytes: 100, maxFiles: 9 };
    assertEquals(await upload(store, callerFile("file_a", 60), { room }), "stored");
    assertEquals(await upload(store, callerFile("file_b", 41), { room }), "too_large");
    assertEquals(await upload(store, callerFile("file_c", 40), { room }), "stored");
  },

  "of uploads that end at once no more are stored than there is room for": async (store) => {
    const ids = Array.from({ length: 8 }, (_, at) => `file_${at}`);
    const ended = await Promise.all(ids.map((id) => upload(store, callerFile(id, 10))));
    assertEquals(ended.filter((outcome) => outcome === "stored").length, 3);
    assertEquals((await store.list("team")).length, 3);
  },

  "all owners share one space": async (store) => {
    const room = { maxBytes: Infinity, maxFiles: 9 };
    assertEquals(await upload(store, callerFile("file_a", 700_000, "one"), { room }), "stored");
    assertEquals(await upload(store, callerFile("file_b", 700_000, "two"), { room }), "full");
    await store.remove("one", "file_a");
    assertEquals(await store.finish(callerFile("file_b", 700_000, "two"), room), "stored");
  },

  "odd names of owners and files are kept apart": async (store) => {
    const names = ["team/\u0001", "team", "灯\ud800", "灯\ud801", "x".repeat(300)];
    for (const name of names) await upload(store, callerFile(`file_${name}`, 3, name));
    for (const name of names) assertEquals((await store.list(name)).length, 1, name);
  },
};

/** The contract of a {@linkcode CallerFileStore} whose space is a million bytes. */
export function fileStoreContract(name: string, open: Open<CallerFileStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
