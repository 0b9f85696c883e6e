/**
 * Every method that OpenAI's Node client has for files and vector stores.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import OpenAI, { toFile } from "openai";
import { TestService } from "../../fixtures/service.ts";

const encoder = new TextEncoder();
const LAMP = "The lamp is green";

function upload(text: string, name = "lamp.txt") {
  return toFile(encoder.encode(text), name);
}

async function notFound(call: PromiseLike<unknown>): Promise<void> {
  const error = await assertRejects(async () => await call, OpenAI.NotFoundError);
  assertEquals(error.code, "not_found");
}

async function refused(call: PromiseLike<unknown>, param: string): Promise<void> {
  const error = await assertRejects(async () => await call, OpenAI.BadRequestError);
  assertEquals([error.code, error.param?.split(".")[0]], ["invalid_request", param]);
}

Deno.test("attributes change by vectorStores.files.update, and filters select by the new ones", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const other = service.client({ apiKey: (await service.newKey({})).key });
  const { files } = client.vectorStores;
  const { id: vector_store_id } = await client.vectorStores.create({});
  const { id } = await files.uploadAndPoll(vector_store_id, await upload(LAMP));
  const find = async (value: string) =>
    (await client.vectorStores.search(vector_store_id, {
      query: "lamp",
      filters: { type: "eq", key: "room", value },
    })).data.map(({ attributes }) => attributes);
  assertEquals(await find("tower"), []);
  const attributes = { room: "tower", year: 2026, draft: false };
  const changed = await files.update(id, { vector_store_id, attributes });
  assertEquals([changed.id, changed.status, changed.attributes], [id, "completed", attributes]);
  assertEquals(await find("tower"), [attributes]);
  // All of them are replaced.
  await files.update(id, { vector_store_id, attributes: { room: "cellar" } });
  assertEquals(await find("tower"), []);
  assertEquals(await find("cellar"), [{ room: "cellar" }]);

  await refused(
    files.update(id, { vector_store_id, attributes: { room: "x".repeat(513) } }),
    "attributes",
  );
  const many = Object.fromEntries(Array.from({ length: 17 }, (_, at) => [`a${at}`, at]));
  await refused(files.update(id, { vector_store_id, attributes: many }), "attributes");
  await refused(
    client.post(`/vector_stores/${vector_store_id}/files/${id}`, { body: {} }),
    "attributes",
  );
  await notFound(files.update("file_none", { vector_store_id, attributes }));
  await notFound(other.vectorStores.files.update(id, { vector_store_id, attributes }));
  assertEquals((await files.retrieve(id, { vector_store_id })).attributes, { room: "cellar" });
  assertEquals((await files.update(id, { vector_store_id, attributes: null })).attributes, {});
  const made = await service.admin("POST", "/vector-stores", { name: "Op", wallet: "default" });
  await assertRejects(
    () => files.update(id, { vector_store_id: String(made.id), attributes }),
    OpenAI.PermissionDeniedError,
    "The operator made",
  );
});

Deno.test("vectorStores.files.content has the text of a file, in pages", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const other = service.client({ apiKey: (await service.newKey({})).key });
  const { files } = client.vectorStores;
  const { id: vector_store_id } = await client.vectorStores.create({});
  const { id } = await files.uploadAndPoll(
    vector_store_id,
    await upload(`<h1>Lamp</h1><p>${LAMP}</p>`, "lamp.html"),
  );
  const page = await files.content(id, { vector_store_id });
  assertEquals(page.object, "vector_store.file_content.page");
  const [{ type, text = "" } = {}, ...more] = page.data;
  assertEquals([type, more, page.hasNextPage()], ["text", [], false]);
  assertStringIncludes(text, LAMP);
  assert(!text.includes("<"));
  await notFound(files.content("file_none", { vector_store_id }));
  await notFound(other.vectorStores.files.content(id, { vector_store_id }));

  const long = Array.from({ length: 90_000 }, (_, at) => `${at} ${LAMP}.`).join("\n");
  const large = await files.uploadAndPoll(vector_store_id, await upload(long));
  const texts: string[] = [];
  for (let query = {};;) {
    const part = await files.content(large.id, { vector_store_id }, { query });
    texts.push(part.data[0]?.text ?? "");
    // Their class of pages has no members for these.
    const { has_more, next_page } = Object(part).body;
    assertEquals(has_more, next_page !== null);
    if (next_page === null) break;
    query = { page: next_page };
  }
  assertEquals([texts.length, texts.join("")], [3, long]);
  await refused(files.content(id, { vector_store_id }, { query: { page: "2" } }), "page");
  const another = { query: { page: "file_1.2" } };
  await refused(files.content(id, { vector_store_id }, another), "page");
  const broken = await files.uploadAndPoll(vector_store_id, await upload("%PDF", "broken.pdf"));
  assertEquals(broken.status, "failed");
  assertEquals((await files.content(broken.id, { vector_store_id })).data, []);
});

/** Calls of each method, by the name of the resource; a table that every method must be in. */
function callsOf(client: OpenAI, ids: { store: string; file: string; batch: string }) {
  const of = { vector_store_id: ids.store };
  const { files, vectorStores } = client;
  return {
    files: {
      create: async () => await files.create({ file: await upload(LAMP), purpose: "user_data" }),
      retrieve: () => files.retrieve(ids.file),
      list: () => files.list({ purpose: "assistants", limit: 1 }),
      content: () => files.content(ids.file),
      waitForProcessing: () => files.waitForProcessing(ids.file, { pollInterval: 1 }),
      delete: async () =>
        await files.delete(
          (await files.create({ file: await upload(LAMP), purpose: "assistants" })).id,
        ),
    },
    vectorStores: {
      create: () => vectorStores.create({ name: "Other", description: "A store" }),
      retrieve: () => vectorStores.retrieve(ids.store),
      update: () => vectorStores.update(ids.store, { name: "Lamps" }),
      list: () => vectorStores.list({ order: "asc" }),
      search: () => vectorStores.search(ids.store, { query: "lamp", rewrite_query: true }),
      delete: async () => await vectorStores.delete((await vectorStores.create({})).id),
    },
    "vectorStores.files": {
      create: () => vectorStores.files.create(ids.store, { file_id: ids.file }),
      createAndPoll: () => vectorStores.files.createAndPoll(ids.store, { file_id: ids.file }),
      poll: () => vectorStores.files.poll(ids.store, ids.file),
      upload: async () => await vectorStores.files.upload(ids.store, await upload(LAMP)),
      uploadAndPoll: async () =>
        await vectorStores.files.uploadAndPoll(ids.store, await upload(LAMP)),
      retrieve: () => vectorStores.files.retrieve(ids.file, of),
      update: () => vectorStores.files.update(ids.file, { ...of, attributes: { year: 2026 } }),
      list: () => vectorStores.files.list(ids.store, { filter: "completed" }),
      content: () => vectorStores.files.content(ids.file, of),
      delete: async () => {
        const { id } = await vectorStores.files.upload(ids.store, await upload(LAMP));
        return await vectorStores.files.delete(id, of);
      },
    },
    "vectorStores.fileBatches": {
      create: () => vectorStores.fileBatches.create(ids.store, { file_ids: [ids.file] }),
      createAndPoll: () =>
        vectorStores.fileBatches.createAndPoll(ids.store, { files: [{ file_id: ids.file }] }),
      uploadAndPoll: async () =>
        await vectorStores.fileBatches.uploadAndPoll(ids.store, { files: [await upload(LAMP)] }),
      retrieve: () => vectorStores.fileBatches.retrieve(ids.batch, of),
      poll: () => vectorStores.fileBatches.poll(ids.store, ids.batch),
      cancel: () => vectorStores.fileBatches.cancel(ids.batch, of),
      listFiles: () => vectorStores.fileBatches.listFiles(ids.batch, of),
    },
  };
}

Deno.test("every method of OpenAI's Node client for files and vector stores is served", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const { id: store } = await client.vectorStores.create({});
  const { id: file } = await client.files.create({
    file: await upload(LAMP),
    purpose: "assistants",
  });
  const { id: batch } = await client.vectorStores.fileBatches.uploadAndPoll(store, {
    files: [await upload("The door is red", "door.txt")],
  });
  const { files, vectorStores } = client;
  const resources = {
    files,
    vectorStores,
    "vectorStores.files": vectorStores.files,
    "vectorStores.fileBatches": vectorStores.fileBatches,
  };
  await client.vectorStores.files.create(store, { file_id: file });
  for (const [name, calls] of Object.entries(callsOf(client, { store, file, batch }))) {
    const resource = Object.entries(resources).find(([each]) => each === name)?.[1];
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(resource))
      .filter((method) => method !== "constructor");
    assertEquals(Object.keys(calls).sort(), methods.sort(), name);
    for (const call of Object.values(calls)) {
      const answer: unknown = await call();
      if (answer instanceof Response) assertEquals(await answer.text(), LAMP);
    }
  }
});
