import { assertEquals, assertLessOrEqual, assertRejects } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { StoreError } from "../../ports/store_error.ts";
import { openKvStores } from "../../stores/kv/open.ts";
import { createSystemRng } from "../../system/rng.ts";
import { MAX_FILES } from "../../vector_stores/limits.ts";
import { createVectorStores } from "../../vector_stores/vector_stores.ts";
import { type Caller, CallerFiles } from "./caller_files.ts";
import { CallerStores } from "./caller_stores.ts";

const KEY = { id: "key_a", walletId: "team", policy: {} } as const;

/** Callers' stores that have room for so many bytes of text, and files with these texts. */
async function labOf(maxBytes: number, texts: readonly string[]) {
  const stores = await openKvStores(":memory:", { passageRetention: { maxBytes } });
  let nowMs = 1_000;
  const clock = { nowMs: () => nowMs++, monotonicMs: () => 0 };
  const rng = createSystemRng(clock);
  const vectorStores = createVectorStores({ passages: stores.passages, clock, rng });
  const { callerFiles } = stores;
  const files = new CallerFiles({ callerFiles, vectorStores, clock, rng });
  const upload = async (text: string, key: Caller = KEY) => {
    const draft = await files.begin(key);
    await draft.write(new TextEncoder().encode(text));
    const about = { filename: "a.txt", mediaType: "text/plain", purpose: "assistants" };
    const { id } = await draft.finish(about);
    return { fileId: id, param: "file_id" };
  };
  const attachments = [];
  for (const text of texts) attachments.push(await upload(text));
  const callerStores = new CallerStores({
    files,
    vectorStores,
    clock,
    rng,
    storeFilesMax: MAX_FILES,
  });
  const store = await callerStores.create(KEY, { name: "Lamps" });
  return {
    ...{ callerFiles, callerStores, files, vectorStores, store, attachments, upload },
    async [Symbol.asyncDispose]() {
      await vectorStores.close();
      await stores.close();
    },
  };
}

Deno.test("a batch that meets a full store notes the files without room, and adds the others", async () => {
  await using lab = await labOf(40, ["the lamp is green", "x".repeat(60), "the door"]);
  const { callerStores, store, attachments } = lab;
  const files = await callerStores.add(KEY, store.id, { attachments, batchId: "vsfb_a" });
  assertEquals(files.map(({ failure }) => failure?.code), [undefined, "server_error", undefined]);
  assertEquals((await callerStores.files(KEY, store.id)).map(({ sourceId }) => sourceId), [
    ...attachments.map(({ fileId }) => fileId),
  ]);
  // Added again where there is room, a file has failed no longer.
  await callerStores.removeFile(KEY, store.id, attachments[0]?.fileId ?? "");
  const again = await callerStores.files(KEY, store.id);
  assertEquals(again.map(({ failure }) => failure?.code), ["server_error", undefined]);
});

Deno.test("a single file without room is refused, and nothing is noted", async () => {
  await using lab = await labOf(10, ["the lamp is green"]);
  const { callerStores, store, attachments } = lab;
  const fault = await assertRejects(
    () => callerStores.add(KEY, store.id, { attachments }),
    ServiceFault,
  );
  assertEquals(fault.code, "policy_denied");
  assertEquals(await callerStores.files(KEY, store.id), []);
});

Deno.test("attributes are those of the latest text of a file, also if it is added again meanwhile", async () => {
  await using lab = await labOf(10_000, ["the lamp is green"]);
  const { callerStores, vectorStores, store, attachments } = lab;
  const [{ fileId = "" } = {}] = attachments;
  const add = () => callerStores.add(KEY, store.id, { attachments });
  await add();
  const { setAttributes } = vectorStores;
  let calls = 0;
  vectorStores.setAttributes = async (...given) => {
    if (calls++ === 0) await add();
    return await setAttributes.apply(vectorStores, given);
  };
  const attributes = { room: "tower" };
  const changed = await callerStores.setAttributes(KEY, store.id, { fileId, attributes });
  assertEquals([calls, changed.sourceId, changed.attributes], [2, fileId, attributes]);
  assertEquals((await callerStores.files(KEY, store.id)).map((file) => file.attributes), [
    attributes,
  ]);
  const other = { ...KEY, walletId: "other" };
  const refused = [
    () => callerStores.setAttributes(other, store.id, { fileId, attributes: {} }),
    () => callerStores.setAttributes(KEY, "vs_none", { fileId, attributes: {} }),
    () => callerStores.setAttributes(KEY, store.id, { fileId: "file_none", attributes: {} }),
  ];
  for (const call of refused) {
    assertEquals((await assertRejects(call, ServiceFault)).code, "not_found");
  }
  assertEquals((await callerStores.file(KEY, store.id, fileId)).attributes, attributes);
});

Deno.test("the text of a file is read in parts of one text; a page of a former one is refused", async () => {
  const line = "The keeper writes the weather down.";
  const long = Array.from({ length: 40_000 }, (_, at) => `${at} ${line}`).join("\n");
  await using lab = await labOf(10_000_000, [long]);
  const { callerStores, store, attachments } = lab;
  const [{ fileId = "" } = {}] = attachments;
  await callerStores.add(KEY, store.id, { attachments });
  const first = await callerStores.text(KEY, store.id, { fileId });
  assertEquals(first.text.length <= 1024 * 1024, true);
  const page = { textId: first.textId, from: first.next ?? 0 };
  const second = await callerStores.text(KEY, store.id, { fileId, page });
  assertEquals(`${first.text}${second.text}`, long);
  assertEquals([second.next, second.textId], [undefined, first.textId]);
  await callerStores.add(KEY, store.id, { attachments });
  const fault = await assertRejects(
    () => callerStores.text(KEY, store.id, { fileId, page }),
    ServiceFault,
  );
  assertEquals([fault.code, fault.param], ["invalid_request", "page"]);
  const other = { ...KEY, walletId: "other" };
  const refused = [
    () => callerStores.text(other, store.id, { fileId }),
    () => callerStores.text(KEY, store.id, { fileId: "file_none", page }),
  ];
  for (const call of refused) {
    assertEquals((await assertRejects(call, ServiceFault)).code, "not_found");
  }
});

Deno.test("a batch with more files than the store may have is refused before any is read", async () => {
  await using lab = await labOf(10_000, ["one", "two"]);
  const { callerStores, vectorStores, store, attachments } = lab;
  const failure = { code: "invalid_file", message: "It is damaged" } as const;
  for (let n = 0; n < MAX_FILES - 1; n++) {
    const file = { filename: `${n}.txt`, mediaType: "text/plain", sizeBytes: 1, failure };
    assertEquals((await vectorStores.addUnread(store.id, file)).ok, true);
  }
  const add = () => callerStores.add(KEY, store.id, { attachments, batchId: "vsfb_a" });
  const fault = await assertRejects(add, ServiceFault, "has room for 1 more");
  assertEquals(fault.code, "policy_denied");
  assertEquals((await callerStores.files(KEY, store.id)).length, MAX_FILES - 1);
  // One that is added again needs a place beside its former text.
  const [one, two] = attachments.map((each) => [each]);
  await callerStores.add(KEY, store.id, { attachments: one ?? [] });
  const again = () =>
    callerStores.add(KEY, store.id, { attachments: one ?? [], batchId: "vsfb_a" });
  await assertRejects(again, ServiceFault, "has room for 0 more");
  await callerStores.removeFile(KEY, store.id, one?.[0]?.fileId ?? "");
  const twice = [...two ?? [], ...two ?? []];
  await assertRejects(
    () => callerStores.add(KEY, store.id, { attachments: twice, batchId: "vsfb_a" }),
    ServiceFault,
    "has room for 1 more",
  );
});

Deno.test("text beyond what the key's policy allows the wallet is refused, with the way out", async () => {
  await using lab = await labOf(10_000, ["the lamp is green", "the door is open", "a"]);
  const { callerStores, store, attachments } = lab;
  const key = { ...KEY, policy: { files: { textBytes: 20 } } };
  const [first, second, third] = attachments;
  const add = (each: typeof first) =>
    callerStores.add(key, store.id, { attachments: each === undefined ? [] : [each] });
  await add(first);
  const fault = await assertRejects(() => add(second), ServiceFault, "20 bytes of text");
  assertEquals(fault.code, "policy_denied");
  await add(third);
  assertEquals((await callerStores.get(key, store.id)).textBytes, 18);
  // Another store of the wallet has the same room, and so has a batch, which notes what has none.
  const other = await callerStores.create(key, { name: "Doors" });
  const noted = await callerStores.add(key, other.id, {
    attachments: [second, third].flatMap((each) => each ?? []),
    batchId: "vsfb_a",
  });
  assertEquals(noted.map(({ failure }) => failure?.code), ["server_error", undefined]);
  await callerStores.removeFile(key, store.id, first?.fileId ?? "");
  await add(second);
  const none = { ...KEY, policy: { files: { textBytes: 0 } } };
  await assertRejects(
    () => callerStores.add(none, other.id, { attachments: [first].flatMap((each) => each ?? []) }),
    ServiceFault,
    "remove files from them, or delete some",
  );
});

Deno.test("a wallet with many files delays another by one turn", async () => {
  await using lab = await labOf(10_000, ["one", "two", "three", "four", "five", "six"]);
  const { callerStores, store, attachments, upload } = lab;
  const other = { id: "key_b", walletId: "other", policy: {} };
  const attachment = await upload("The lamp is green", other);
  const { id } = await callerStores.create(other, { name: "Lamps" });
  const order: string[] = [];
  const many = attachments.map(async (each) => {
    await callerStores.add(KEY, store.id, { attachments: [each] });
    order.push("team");
  });
  await callerStores.add(other, id, { attachments: [attachment] });
  order.push("other");
  await Promise.all(many);
  // Behind the file that is being read, and one turn of the other wallet.
  assertLessOrEqual(order.indexOf("other"), 2);
});

Deno.test("a file that is added while it is deleted leaves no text in its stores", async () => {
  await using lab = await labOf(10_000, ["the lamp is green"]);
  const { callerFiles, callerStores, files, store, attachments } = lab;
  const [{ fileId = "" } = {}] = attachments;
  const { remove } = callerFiles;
  callerFiles.remove = async (...given) => {
    // The texts of the file are removed by now, and the file itself is still there.
    await callerStores.add(KEY, store.id, { attachments });
    return await remove.apply(callerFiles, given);
  };
  assertEquals(await files.delete(KEY, fileId), true);
  assertEquals(await callerStores.files(KEY, store.id), []);
});

Deno.test("a file of a batch that finds no room for its new text keeps its former one", async () => {
  await using lab = await labOf(10_000, ["the lamp is green", "the door"]);
  const { callerStores, vectorStores, store, attachments } = lab;
  const key = { ...KEY, policy: { files: { textBytes: 34 } } };
  const [{ fileId = "" } = {}] = attachments;
  const add = (batchId: string, by = key) =>
    callerStores.add(by, store.id, { attachments, batchId });
  await add("vsfb_a");
  for (const batchId of ["vsfb_b", "vsfb_c"]) {
    const codes = (await add(batchId)).map(({ failure }) => failure?.code);
    assertEquals(codes, ["server_error", undefined]);
    const hits = await callerStores.search(key, { storeId: store.id, text: "lamp" });
    assertEquals(hits.map((hit) => [hit.fileId, hit.text]), [[fileId, "the lamp is green"]]);
    assertEquals((await vectorStores.files(store.id))?.length, 3, "one failure is kept");
  }
  await add("vsfb_d", { ...KEY, policy: { files: { textBytes: 60 } } });
  assertEquals((await vectorStores.files(store.id))?.map(({ failure }) => failure), [
    undefined,
    undefined,
  ]);
});

Deno.test("a text of which rows are missing ends the call, instead of being read for ever", async () => {
  await using lab = await labOf(10_000, ["the lamp is green"]);
  const { callerStores, vectorStores, store, attachments } = lab;
  const [{ fileId = "" } = {}] = attachments;
  await callerStores.add(KEY, store.id, { attachments });
  vectorStores.text = () => Promise.resolve(undefined);
  vectorStores.setAttributes = () => Promise.resolve(undefined);
  const text = () => callerStores.text(KEY, store.id, { fileId });
  await assertRejects(text, StoreError, "are missing");
  const change = () => callerStores.setAttributes(KEY, store.id, { fileId, attributes: {} });
  await assertRejects(change, StoreError, "are missing");
});
