/**
 * OpenAI's own clients, unmodified, with files and vector stores of their own.
 *
 * @module
 */

import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import OpenAI, { toFile } from "openai";
import { EMBEDDED_PER_MINUTE } from "../../../gateway/flows/files/caller_stores.ts";
import type { Clock } from "../../../gateway/ports/clock.ts";
import { BOOTSTRAP_KEY, TestService } from "../../fixtures/service.ts";

/** Version of OpenAI's Python client that is tested. */
const PYTHON_OPENAI = "3.57.0";
const QUESTION = "What do the files say about the gallery?";
const HANDBOOK = new URL("../../fixtures/vector_stores/handbook.md", import.meta.url);
const DAY_MS = 24 * 60 * 60 * 1_000;

async function notFound(call: Promise<unknown>): Promise<void> {
  const error = await assertRejects(() => call, OpenAI.NotFoundError);
  assertEquals(error.code, "not_found");
}

async function clientOf(service: TestService, policy: Record<string, unknown> = {}) {
  const { key } = await service.newKey({ policy });
  return service.client({ apiKey: key });
}

Deno.test("OpenAI's Node client fills a store, asks with file_search, and deletes; another wallet sees none of it", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const other = await clientOf(service);
  const handbook = await toFile(await Deno.readFile(HANDBOOK), "handbook.md");
  const store = await client.vectorStores.create({ name: "Tower", metadata: { team: "a" } });
  assertEquals([store.status, store.metadata], ["completed", { team: "a" }]);
  const added = await client.vectorStores.files.uploadAndPoll(store.id, handbook);
  assertEquals([added.status, added.last_error], ["completed", null]);
  const tools = [{ type: "file_search" as const, vector_store_ids: [store.id] }];
  const answer = await client.responses.create({ model: "auto", input: QUESTION, tools });
  assertEquals(answer.output[0]?.type, "file_search_call");
  assertStringIncludes(answer.output_text, "Handbook of the lighthouse");
  const [message] = answer.output.filter((item) => item.type === "message");
  const [part] = message?.content ?? [];
  assert(part?.type === "output_text");
  const [cited] = part.annotations;
  assert(cited?.type === "file_citation");
  assertEquals([cited.file_id, cited.filename], [added.id, "handbook.md"]);

  await notFound(other.files.retrieve(added.id));
  await notFound(other.files.content(added.id));
  await notFound(other.files.delete(added.id));
  await notFound(other.vectorStores.retrieve(store.id));
  await notFound(other.vectorStores.delete(store.id));
  await notFound(other.vectorStores.update(store.id, { name: "mine" }));
  await notFound(other.vectorStores.search(store.id, { query: "gallery" }));
  await notFound(other.vectorStores.files.retrieve(added.id, { vector_store_id: store.id }));
  await notFound(other.vectorStores.files.create(store.id, { file_id: added.id }));
  const mine = await other.vectorStores.create({});
  await notFound(other.vectorStores.files.create(mine.id, { file_id: added.id }));
  assertEquals((await other.files.list()).data, []);
  await assertRejects(
    () => other.responses.create({ model: "auto", input: QUESTION, tools }),
    OpenAI.BadRequestError,
    "There is no vector store",
  );

  const content = await client.files.content(added.id);
  assertEquals(await content.bytes(), await Deno.readFile(HANDBOOK));
  assertEquals((await client.files.delete(added.id)).deleted, true);
  // With the file its text goes too.
  assertEquals((await client.vectorStores.retrieve(store.id)).file_counts.total, 0);
  assertEquals((await client.vectorStores.search(store.id, { query: "gallery" })).data, []);
  assertEquals((await client.vectorStores.delete(store.id)).deleted, true);
  await notFound(client.vectorStores.retrieve(store.id));
  await service.assertBooks();
});

Deno.test("a batch, lists and changes of a store; a file that cannot be read says why", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const store = await client.vectorStores.create({ name: "Lamps" });
  const batch = await client.vectorStores.fileBatches.uploadAndPoll(store.id, {
    files: [
      await toFile(new TextEncoder().encode("The lamp is green"), "lamp.txt"),
      await toFile(new TextEncoder().encode("The door is red"), "door.md"),
      await toFile(new Uint8Array([1, 2, 3]), "noise.bin"),
      await toFile(new Uint8Array([37, 80, 68, 70]), "broken.pdf"),
    ],
  });
  assertEquals(batch.status, "completed");
  assertEquals(batch.file_counts, {
    ...{ in_progress: 0, completed: 2, failed: 2, cancelled: 0, total: 4 },
  });
  const inBatch = await Array.fromAsync(
    client.vectorStores.fileBatches.listFiles(batch.id, { vector_store_id: store.id, limit: 3 }),
  );
  assertEquals(inBatch.length, 4);
  const failed = await client.vectorStores.files.list(store.id, { filter: "failed", order: "asc" });
  assertEquals(failed.data.map(({ last_error }) => last_error?.code).sort(), [
    "invalid_file",
    "unsupported_file",
  ]);
  const { file_counts, usage_bytes } = await client.vectorStores.retrieve(store.id);
  assertEquals([file_counts.completed, file_counts.failed, usage_bytes], [2, 2, 32]);

  const lamp = (await client.files.list({ order: "asc" })).data.find(({ filename }) =>
    filename === "lamp.txt"
  );
  assert(lamp !== undefined);
  // Added again, it is there once, with its new attributes.
  await client.vectorStores.files.createAndPoll(store.id, {
    file_id: lamp.id,
    attributes: { room: "tower", year: 2026 },
  });
  assertEquals((await client.vectorStores.retrieve(store.id)).file_counts.total, 4);
  const matches = await client.vectorStores.search(store.id, {
    query: ["lamp", "door"],
    filters: { type: "eq", key: "room", value: "tower" },
  });
  assertEquals(matches.data.map(({ filename, attributes }) => [filename, attributes?.year]), [
    ["lamp.txt", 2026],
  ]);
  const changed = await client.vectorStores.update(store.id, {
    name: "Doors",
    metadata: { a: "b" },
    expires_after: { anchor: "last_active_at", days: 3 },
  });
  assertEquals([changed.name, changed.metadata, changed.expires_after?.days], [
    ...["Doors", { a: "b" }, 3],
  ]);
  const cleared = await client.vectorStores.update(store.id, { expires_after: null });
  assertEquals([cleared.name, cleared.expires_at], ["Doors", null]);
  await client.vectorStores.files.delete(lamp.id, { vector_store_id: store.id });
  assertEquals((await client.files.retrieve(lamp.id)).filename, "lamp.txt");
  await notFound(client.vectorStores.files.retrieve(lamp.id, { vector_store_id: store.id }));
});

Deno.test("OpenAI's Node client goes through the pages of files, in either order and by purpose", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const ids: string[] = [];
  for (let at = 0; at < 5; at++) {
    const file = await toFile(new Uint8Array(at), `${at}.txt`);
    const purpose = at % 2 === 0 ? "assistants" : "user_data";
    ids.push((await client.files.create({ file, purpose })).id);
  }
  const all = async (query: OpenAI.FileListParams) =>
    (await Array.fromAsync(client.files.list(query))).map(({ id }) => id);
  assertEquals(await all({}), ids.toReversed());
  assertEquals(await all({ limit: 2, order: "asc" }), ids);
  assertEquals(await all({ limit: 2 }), ids.toReversed());
  assertEquals(await all({ limit: 1, order: "asc", purpose: "user_data" }), [ids[1], ids[3]]);
  assertEquals(await all({ purpose: "batch" }), []);
  const headers = { authorization: `Bearer ${BOOTSTRAP_KEY}` };
  const pageOf = async (query: string) => {
    const response = await fetch(`${service.openaiUrl}/files?${query}`, { headers });
    return { status: response.status, ...await response.json() };
  };
  const { data: _data, ...page } = await pageOf(`limit=2&order=asc&after=${ids[0]}`);
  assertEquals(page, {
    ...{ status: 200, object: "list", first_id: ids[1], last_id: ids[2], has_more: true },
  });
  const end = await pageOf(`limit=2&order=asc&after=${ids[2]}`);
  assertEquals([end.data.length, end.has_more], [2, false]);
  assertEquals(await pageOf(`order=asc&after=${ids[4]}`), {
    ...{ status: 200, object: "list", data: [], first_id: null, last_id: null, has_more: false },
  });
  for (const query of ["limit=0", "limit=10001", "limit=x", "order=up", "after=file_x"]) {
    assertEquals((await pageOf(query)).status, 400, query);
  }
  // Each is deleted as soon as it is seen.
  for await (const { id } of client.files.list({ limit: 2 })) await client.files.delete(id);
  assertEquals(await all({}), []);
});

Deno.test("the policy's room holds, and a deleted file gives its room back", async () => {
  await using service = await TestService.start();
  const client = await clientOf(service, { files: { files: 2, bytes: 100, stores: 1 } });
  const upload = async (bytes: number) =>
    await client.files.create({
      purpose: "assistants",
      file: await toFile(new Uint8Array(bytes), "a.txt"),
    });
  const refused = async (call: Promise<unknown>, message: string) => {
    const error = await assertRejects(() => call, OpenAI.PermissionDeniedError, message);
    assertEquals(error.code, "policy_denied");
  };
  await refused(upload(101), "more than the 100 bytes");
  const first = await upload(60);
  await refused(upload(41), "more than the 100 bytes");
  await upload(40);
  await refused(upload(0), "as many files");
  await client.files.delete(first.id);
  await upload(60);
  const store = await client.vectorStores.create({});
  await refused(client.vectorStores.create({}), "as many vector stores");
  await client.vectorStores.delete(store.id);
  await client.vectorStores.create({});
  const uploads = await clientOf(service, { endpoints: ["chat"] });
  await refused(uploads.files.list().then(), "not responses");
  const tools = await clientOf(service, { hostedTools: ["web_search_preview"] });
  await refused(tools.vectorStores.create({}), "file_search");
});

Deno.test("a key searches and adds files so many times a minute, and no more", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const { id } = await client.vectorStores.create({});
  const search = () => client.vectorStores.search(id, { query: "gallery" }, { maxRetries: 0 });
  for (let at = 0; at < EMBEDDED_PER_MINUTE; at++) await search();
  const refused = await assertRejects(search, OpenAI.RateLimitError);
  assertEquals(refused.code, "rate_limit_exceeded");
  const file = await client.files.create({
    file: await toFile(new Uint8Array(3), "a.txt"),
    purpose: "assistants",
  });
  await assertRejects(
    () => client.vectorStores.files.create(id, { file_id: file.id }, { maxRetries: 0 }),
    OpenAI.RateLimitError,
  );
  assertEquals((await client.vectorStores.files.list(id)).data, []);
});

Deno.test("uploads of other purposes and of damaged forms are refused; a store of the operator is not changed", async () => {
  await using service = await TestService.start();
  const client = service.client();
  const file = await toFile(new Uint8Array(3), "a.txt");
  const bad = await assertRejects(
    () => client.files.create({ file, purpose: "fine-tune" }),
    OpenAI.BadRequestError,
    "other purposes are not served",
  );
  assertEquals([bad.param, bad.code], ["purpose", "invalid_request"]);
  const short = { anchor: "created_at" as const, seconds: 60 };
  await assertRejects(
    () => client.files.create({ file, purpose: "assistants", expires_after: short }),
    OpenAI.BadRequestError,
    "3600",
  );
  const raw = await fetch(`${service.openaiUrl}/files`, {
    method: "POST",
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}` },
    body: JSON.stringify({}),
  });
  assertEquals([raw.status, (await raw.json()).error.code], [415, "unsupported_media_type"]);
  const made = await service.admin("POST", "/vector-stores", { name: "Op", wallet: "default" });
  const id = String(made.id);
  assertEquals((await client.vectorStores.retrieve(id)).name, "Op");
  await assertRejects(
    () => client.vectorStores.delete(id),
    OpenAI.PermissionDeniedError,
    "The operator made",
  );
  assertEquals((await client.files.list()).data, []);
});

Deno.test("expired files and stores are gone at once, and the upkeep removes them", async () => {
  let passedMs = 0;
  const clock: Clock = {
    nowMs: () => Date.now() + passedMs,
    monotonicMs: () => performance.now() + passedMs,
  };
  await using service = await TestService.start({ clock });
  const client = service.client();
  const file = await client.files.create({
    file: await toFile(new TextEncoder().encode("The lamp is green"), "lamp.txt"),
    purpose: "assistants",
    expires_after: { anchor: "created_at", seconds: 3_600 },
  });
  const expires_after = { anchor: "last_active_at" as const, days: 1 };
  const brief = await client.vectorStores.create({ expires_after });
  const store = await client.vectorStores.create({ expires_after, file_ids: [file.id] });
  assertEquals(store.file_counts.completed, 1);
  passedMs = 20 * 60 * 60 * 1_000;
  await notFound(client.files.retrieve(file.id));
  await notFound(client.vectorStores.files.retrieve(file.id, { vector_store_id: store.id }));
  assertEquals((await client.vectorStores.files.list(store.id)).data, []);
  const shown = Object(await service.admin("GET", `/vector-stores/${store.id}/files`));
  assertEquals(shown.files, []);
  // A search is a use.
  assertEquals((await client.vectorStores.search(store.id, { query: "lamp" })).data, []);
  passedMs = DAY_MS + 1_000;
  await notFound(client.vectorStores.retrieve(brief.id));
  assertEquals((await client.vectorStores.list()).data.map(({ id }) => id), [store.id]);
  const { callerFiles } = service.running.gateway;
  assertEquals(await callerFiles.sweep(), { files: 1, stores: 1 });
  assertEquals(await callerFiles.sweep(), { files: 0, stores: 0 });
  assertEquals((await client.vectorStores.retrieve(store.id)).file_counts.total, 0);
});

Deno.test("OpenAI's Python client does the same", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const python = await pythonWithOpenAI(folder);
    if (python === undefined) return;
    await using service = await TestService.start();
    const { key } = await service.newKey({});
    const script = fromFileUrl(new URL("caller.py", import.meta.url));
    const args = [script, service.openaiUrl, BOOTSTRAP_KEY, key, fromFileUrl(HANDBOOK)];
    assertEquals(await run(python, ...args), "done\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

/**
 * Returns a Python that has the client: the present one, or one in the folder. Without a Python the
 * test is skipped; where pip fails it is skipped too, but not on a build server.
 */
async function pythonWithOpenAI(folder: string): Promise<string | undefined> {
  try {
    await run("python3", "--version");
  } catch {
    console.error("SKIPPED: there is no Python");
    return undefined;
  }
  const check = `import openai, sys; sys.exit(openai.__version__ != "${PYTHON_OPENAI}")`;
  if (await run("python3", "-c", check).catch(() => undefined) !== undefined) return "python3";
  try {
    await run("python3", "-m", "venv", folder);
    const python = join(folder, "bin", "python");
    const pip = ["-m", "pip", "install", "--quiet", "--retries", "0", "--timeout", "10"];
    await run(python, ...pip, `openai==${PYTHON_OPENAI}`);
    return python;
  } catch (error) {
    if (Deno.env.get("CI") !== undefined) throw error;
    console.error(`SKIPPED: pip cannot install openai ${PYTHON_OPENAI}`);
    return undefined;
  }
}

async function run(program: string, ...args: string[]): Promise<string> {
  const { code, stderr, stdout } = await new Deno.Command(program, { args }).output();
  const decoder = new TextDecoder();
  if (code !== 0) throw new Error(decoder.decode(stderr));
  return decoder.decode(stdout);
}
