import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "@std/path";
import { StoreError } from "../../gateway/ports/store_error.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { linesUntilKilled, spawnChild } from "./killed_process.ts";
import {
  embeddedFile,
  fileOf,
  passageStoreContract,
  vectorStore,
} from "./passage_store_contract.ts";

const passageRetention = { maxBytes: 1_000_000, maxStores: 3 };
const PASSAGES = Array.from({ length: 60 }, (_, at) => `${at} `.repeat(1_500));

for (const kind of ["memory", "file"]) {
  passageStoreContract(`PassageStore in KV, ${kind}`, async () => {
    const folder = kind === "file" ? await Deno.makeTempDir() : undefined;
    const path = folder === undefined ? ":memory:" : join(folder, "svc.kv");
    const stores = await openKvStores(path, { passageRetention });
    return {
      store: stores.passages,
      close: async () => {
        await stores.close();
        if (folder !== undefined) await Deno.remove(folder, { recursive: true });
      },
    };
  });
}

async function segmentsOf(kv: Deno.Kv): Promise<unknown[]> {
  return (await Array.fromAsync(kv.list({ prefix: ["vector_segment"] }))).map(({ key }) => key[1]);
}

/**
 * A database whose fourth segment of a file cannot be written while `failing`, and whose `file_b`
 * cannot be deleted.
 */
function failingKv() {
  const state: { failing: boolean; kv: Deno.Kv | undefined } = { failing: false, kv: undefined };
  const openKv = async (path: string) => {
    const kv = state.kv = await Deno.openKv(path);
    const atomic = kv.atomic.bind(kv);
    kv.atomic = () => {
      const operation = atomic();
      const set = operation.set.bind(operation);
      operation.set = (key, value, options) => {
        if (state.failing && key[0] === "vector_segment" && key[2] === 3) {
          throw new Error("Disk full");
        }
        return set(key, value, options);
      };
      const remove = operation.delete.bind(operation);
      operation.delete = (key) => {
        if (state.failing && key[0] === "vector_file" && key[2] === "file_b") {
          throw new Error("Disk full");
        }
        return remove(key);
      };
      return operation;
    };
    return kv;
  };
  return { state, openKv };
}

Deno.test("A file whose write fails is not there; what it left goes with the next change", async () => {
  const { state, openKv } = failingKv();
  const { passages, close } = await openKvStores(":memory:", { openKv, passageRetention });
  await passages.createStore(vectorStore("vs_a"));
  state.failing = true;
  const file = fileOf("vs_a", "file_a", PASSAGES);
  await assertRejects(() => passages.addFile(file, PASSAGES), StoreError);
  state.failing = false;
  assert(state.kv !== undefined);
  assert((await segmentsOf(state.kv)).length > 0);
  assertEquals(await passages.files("vs_a"), []);
  assertEquals(passages.store("vs_a")?.files, 0);
  const other = fileOf("vs_a", "file_b", ["small"]);
  assertEquals(await passages.addFile(other, ["small"]), "added");
  assertEquals(await segmentsOf(state.kv), ["file_b"]);
  await close();
});

Deno.test("Embeddings whose write fails change nothing; what they left goes with the next change", async () => {
  const { state, openKv } = failingKv();
  const { passages, close } = await openKvStores(":memory:", { openKv, passageRetention });
  await passages.createStore(vectorStore("vs_a"));
  const texts = Array.from({ length: 80 }, (_, at) => `${at}`);
  const plain = fileOf("vs_a", "file_a", texts);
  const old = embeddedFile(plain, { id: "emb_old", dimensions: 10 });
  await passages.addFile(old.file, texts, { vectors: old.vectors });
  state.failing = true;
  const large = embeddedFile(plain, { id: "emb_new" });
  await assertRejects(
    () => passages.setEmbeddings(plain, large.embeddings, large.vectors),
    StoreError,
  );
  const other = embeddedFile(fileOf("vs_a", "file_b", texts), { id: "emb_b" });
  await assertRejects(
    () => passages.addFile(other.file, texts, { vectors: other.vectors }),
    StoreError,
  );
  state.failing = false;
  assert(state.kv !== undefined);
  const remaining = new Set(await segmentsOf(state.kv));
  assertEquals(remaining, new Set(["emb_b", "emb_old", "file_a", "file_b"]));
  assertEquals(await passages.files("vs_a"), [old.file]);
  const counts = { "fake@default": { passages: 80, bytes: 3_200 } };
  assertEquals(passages.store("vs_a")?.embeddings, counts);
  await passages.createStore(vectorStore("vs_b"));
  assertEquals(await segmentsOf(state.kv), ["emb_old", "file_a"]);
  const vectors = await Array.fromAsync(passages.vectors(old.file));
  assertEquals(vectors, [old.vectors]);
  await passages.removeStore("vs_a");
  assertEquals(await segmentsOf(state.kv), []);
  assertEquals(await Array.fromAsync(state.kv.list({ prefix: ["vector_leftover"] })), []);
  await close();
});

Deno.test("a store is removed by one commit; files that a failure leaves go with the next change", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "svc.kv");
  const { state, openKv } = failingKv();
  const first = await openKvStores(path, { openKv, passageRetention });
  for (const id of ["vs_a", "vs_b"]) await first.passages.createStore(vectorStore(id));
  for (const id of ["file_a", "file_b", "file_c"]) {
    await first.passages.addFile(fileOf("vs_a", id, ["text"]), ["text"]);
  }
  await first.passages.addFile(fileOf("vs_b", "file_d", ["text"]), ["text"]);
  state.failing = true;
  await assertRejects(() => first.passages.removeStore("vs_a"), StoreError);
  assertEquals(first.passages.stores().map(({ id }) => id), ["vs_b"]);
  await first.close();
  state.failing = false;
  const after = await openKvStores(path, { openKv, passageRetention });
  const { passages } = after;
  assertEquals(passages.stores().map(({ id }) => id), ["vs_b"], "It does not come back");
  assertEquals(passages.store("vs_a"), undefined);
  const file = fileOf("vs_a", "file_e", ["text"]);
  assertEquals(await passages.addFile(file, ["text"]), "store_not_found");
  assertEquals(await passages.files("vs_a"), []);
  assert(state.kv !== undefined);
  assertEquals(await segmentsOf(state.kv), ["file_d"]);
  for (const name of ["vector_store", "vector_file"]) {
    const rows = await Array.fromAsync(state.kv.list({ prefix: [name] }));
    assertEquals(rows.map(({ key }) => key[1]), ["vs_b"]);
  }
  assertEquals(await passages.createStore(vectorStore("vs_a")), true);
  await after.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("a gateway killed between any two commits of a file keeps none of it; it can be added again", async () => {
  const folder = await Deno.makeTempDir();
  const path = join(folder, "svc.kv");
  const first = await openKvStores(path, { passageRetention });
  await first.passages.createStore(vectorStore("vs_a"));
  const whole = fileOf("vs_a", "file_whole", ["one", "two"]);
  await first.passages.addFile(whole, ["one", "two"]);
  await first.close();
  const half = fileOf("vs_a", "file_half", PASSAGES);
  let hasLeft = false;
  for (let commits = 0;; commits++) {
    const child = spawnChild("./passages_child.ts", path, `${commits}`, ...PASSAGES);
    const [line] = await linesUntilKilled(child, 1);
    if (line === "added") break;
    assertEquals(line, "halfway");
    let kv: Deno.Kv | undefined;
    const after = await openKvStores(path, {
      passageRetention,
      openKv: async (name) => kv = await Deno.openKv(name),
    });
    assert(kv !== undefined);
    assertEquals(await after.passages.files("vs_a"), [whole]);
    assertEquals((await Array.fromAsync(after.passages.passages(whole))).flat(), ["one", "two"]);
    assertEquals(after.passages.store("vs_a")?.passages, 2);
    hasLeft ||= (await segmentsOf(kv)).includes("file_half");
    // The next change clears away what is left over; half of that beside it would be the file twice.
    assertEquals(await after.passages.addFile(half, PASSAGES), "added");
    assertEquals((await Array.fromAsync(after.passages.passages(half))).flat(), PASSAGES);
    assertEquals(await after.passages.removeFile("vs_a", "file_half"), true);
    assertEquals(await segmentsOf(kv), ["file_whole"]);
    assertEquals(await Array.fromAsync(kv.list({ prefix: ["vector_leftover"] })), []);
    await after.close();
  }
  assert(hasLeft);
  await Deno.remove(folder, { recursive: true });
});
