/**
 * The client library with files and vector stores of its own, on a running gateway.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { ServiceAPIError, ServiceClient } from "@svc/sdk";
import { BOOTSTRAP_KEY, TestService } from "../../fixtures/service.ts";

const HANDBOOK = new URL("../../fixtures/vector_stores/handbook.md", import.meta.url);
const MIB = 1024 * 1024;

function clientOf(service: TestService, apiKey: string = BOOTSTRAP_KEY): ServiceClient {
  return new ServiceClient({ apiKey, apiBaseUrl: service.running.publicUrl, timeoutMs: 60_000 });
}

async function refused(call: Promise<unknown>, code: string): Promise<ServiceAPIError> {
  const error = await assertRejects(() => call, ServiceAPIError);
  assertEquals(error.code, code);
  assert(error.requestId !== undefined);
  return error;
}

Deno.test("a file goes from the disk to a store, answers a question, and is deleted", async () => {
  await using service = await TestService.start();
  const client = clientOf(service);
  const file = await client.files.create({
    file: { name: 'say "hi" é.md', open: async () => (await Deno.open(HANDBOOK)).readable },
    purpose: "user_data",
    expires_after: { anchor: "created_at", seconds: 3_600 },
  });
  const text = await Deno.readTextFile(HANDBOOK);
  assertEquals([file.filename, file.bytes], [
    'say "hi" é.md',
    new TextEncoder().encode(text).length,
  ]);
  assertEquals(file.expires_at, file.created_at + 3_600);
  const { vectorStores } = client;
  const store = await vectorStores.create({ name: "Tower", metadata: { team: "a" } });
  const added = await vectorStores.files.create(store.id, {
    file_id: file.id,
    attributes: { room: "tower", year: 2026 },
  });
  const polled = await vectorStores.files.retrieve(file.id, { vector_store_id: store.id });
  assertEquals([added.status, polled.status, polled.attributes], [
    ...["completed", "completed", { room: "tower", year: 2026 }],
  ]);
  const of = { vector_store_id: store.id };
  const { data, has_more } = await vectorStores.files.content(file.id, of);
  assertEquals([data.length, data[0]?.text, has_more], [1, text.trim(), false]);
  await refused(vectorStores.files.content(file.id, { ...of, page: "1" }), "invalid_request");
  const cellar = await vectorStores.files.update(file.id, {
    ...of,
    attributes: { room: "cellar" },
  });
  assertEquals(cellar.attributes, { room: "cellar" });
  await vectorStores.files.update(file.id, { ...of, attributes: { room: "tower" } });
  const matches = await vectorStores.search(store.id, {
    query: "gallery",
    filters: { type: "eq", key: "room", value: "tower" },
  });
  assertStringIncludes(matches.data[0]?.content[0]?.text ?? "", "gallery");

  const answer = await client.responses.create({
    input: "What do the files say about the gallery?",
    tools: [{ type: "file_search", vector_store_ids: [store.id] }],
  });
  assertEquals(answer.output[0]?.type, "file_search_call");
  assertStringIncludes(answer.output_text, "Handbook of the lighthouse");

  assertEquals(await (await client.files.content(file.id)).text(), text);
  const removed = await vectorStores.files.delete(file.id, { vector_store_id: store.id });
  assertEquals([removed.deleted, removed.id], [true, file.id]);
  await refused(vectorStores.files.retrieve(file.id, { vector_store_id: store.id }), "not_found");
  assertEquals((await client.files.retrieve(file.id)).id, file.id);
  assertEquals((await client.files.delete(file.id)).deleted, true);
  await refused(client.files.content(file.id), "not_found");
  assertEquals((await vectorStores.delete(store.id)).deleted, true);
  await refused(vectorStores.retrieve(store.id), "not_found");
  await service.assertBooks();
});

Deno.test("pages and changes; another wallet sees none of it", async () => {
  await using service = await TestService.start();
  const client = clientOf(service);
  const other = clientOf(service, (await service.newKey({})).key);
  const ids: string[] = [];
  for (const name of ["a.txt", "b.txt", "c.bin"]) {
    ids.push((await client.files.create({ file: new File([name], name) })).id);
  }
  const store = await client.vectorStores.create({ file_ids: ids });
  assertEquals([store.file_counts.completed, store.file_counts.failed], [2, 1]);
  const first = await client.files.list({ limit: 2, order: "asc", purpose: "assistants" });
  const last = await client.files.list({ order: "asc", after: String(first.last_id) });
  assertEquals([first.has_more, [...first.data, ...last.data].map(({ id }) => id)], [true, ids]);
  const failed = await client.vectorStores.files.list(store.id, { filter: "failed" });
  assertEquals(failed.data.map(({ last_error }) => last_error?.code), ["unsupported_file"]);
  const expires_after = { anchor: "last_active_at", days: 3 } as const;
  const changed = await client.vectorStores.update(store.id, { name: "Letters", expires_after });
  assertEquals([changed.name, changed.expires_after], ["Letters", expires_after]);
  const cleared = await client.vectorStores.update(store.id, { expires_after: null });
  assertEquals([cleared.name, cleared.expires_after], ["Letters", null]);
  assertEquals((await client.vectorStores.list()).data.map(({ name }) => name), ["Letters"]);

  const [id = ""] = ids;
  await refused(other.files.retrieve(id), "not_found");
  await refused(other.files.content(id), "not_found");
  await refused(other.files.delete(id), "not_found");
  await refused(other.vectorStores.update(store.id, { name: "mine" }), "not_found");
  await refused(other.vectorStores.search(store.id, { query: "a" }), "not_found");
  assertEquals((await other.files.list()).data, []);
});

Deno.test("files are added together; those that cannot be read are counted and listed", async () => {
  await using service = await TestService.start();
  const client = clientOf(service);
  const ids: string[] = [];
  for (const name of ["lamp.txt", "door.md", "noise.bin"]) {
    ids.push((await client.files.create({ file: new File([`The ${name}`], name) })).id);
  }
  const store = await client.vectorStores.create({ name: "Lamps" });
  const { fileBatches } = client.vectorStores;
  const of = { vector_store_id: store.id };
  const attributes = { year: 2026 };
  const batch = await fileBatches.create(store.id, { file_ids: ids, attributes });
  assertEquals([batch.status, batch.vector_store_id], ["completed", store.id]);
  assertEquals(batch.file_counts, {
    ...{ in_progress: 0, completed: 2, failed: 1, cancelled: 0, total: 3 },
  });
  for (const again of [fileBatches.retrieve(batch.id, of), fileBatches.cancel(batch.id, of)]) {
    const { requestId, ...same } = await again;
    assert(requestId !== undefined && requestId !== batch.requestId);
    assertEquals({ ...same, requestId: batch.requestId }, batch);
  }
  const first = await fileBatches.listFiles(batch.id, { ...of, order: "asc", limit: 2 });
  const after = String(first.last_id);
  const last = await fileBatches.listFiles(batch.id, { ...of, order: "asc", after });
  const all = [...first.data, ...last.data];
  assertEquals([first.has_more, last.has_more, all.map(({ id }) => id)], [true, false, ids]);
  assertEquals(all.map((file) => file.attributes), [attributes, attributes, attributes]);
  const failed = await fileBatches.listFiles(batch.id, { ...of, filter: "failed" });
  assertEquals(failed.data.map(({ last_error }) => last_error?.code), ["unsupported_file"]);

  const [lamp = ""] = ids;
  const own = [{ file_id: lamp, attributes: { room: "tower" } }];
  const second = await fileBatches.create(store.id, { files: own });
  assertEquals(second.file_counts.total, 1);
  const [added] = (await fileBatches.listFiles(second.id, of)).data;
  assertEquals([added?.id, added?.attributes], [lamp, { room: "tower" }]);
  // A file is in the batch that added it last.
  assertEquals((await fileBatches.retrieve(batch.id, of)).file_counts.total, 2);

  await refused(fileBatches.create(store.id, { file_ids: ids, files: own }), "invalid_request");
  await refused(fileBatches.create(store.id, { file_ids: [lamp, "file_none"] }), "not_found");
  await client.files.delete(lamp);
  await refused(fileBatches.retrieve(second.id, of), "not_found");
  const other = clientOf(service, (await service.newKey({})).key);
  await refused(other.vectorStores.fileBatches.retrieve(batch.id, of), "not_found");
  await refused(other.vectorStores.fileBatches.cancel(batch.id, of), "not_found");
  await refused(other.vectorStores.fileBatches.listFiles(batch.id, of), "not_found");
});

Deno.test("an upload that is refused at once is an error with its code, and ends the reading", async () => {
  await using service = await TestService.start();
  const { key } = await service.newKey({ policy: { files: { bytes: 100 } } });
  let isOpen = false;
  const large = {
    name: "large.txt",
    async *open() {
      isOpen = true;
      try {
        for (let at = 0; at < 40; at++) yield await Promise.resolve(new Uint8Array(MIB));
      } finally {
        isOpen = false;
      }
    },
  };
  await refused(clientOf(service, key).files.create({ file: large }), "policy_denied");
  const error = await refused(clientOf(service).files.create({ file: large }), "body_too_large");
  assertEquals([error.status, isOpen], [413, false]);
  const answer = await clientOf(service).files.create({ file: new File(["a"], "a.txt") });
  assertEquals(answer.bytes, 1);
});
