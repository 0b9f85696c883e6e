import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ADMIN_TOKEN, assertRefused, type TestAdmin, withAdmin } from "../admin_test_support.ts";

const HANDBOOK = "# Handbook\n\nThe gallery is closed when the wind passes force nine.";

async function upload(
  { app }: TestAdmin,
  path: string,
  options: { body: string; type?: string; query?: Record<string, string> },
) {
  const { body, type = "text/markdown", query = { filename: "handbook.md" } } = options;
  const response = await app.request(`/admin/v1${path}?${new URLSearchParams(query)}`, {
    method: "POST",
    headers: { authorization: `Bearer ${ADMIN_TOKEN}`, "content-type": type },
    body,
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function remove({ app }: TestAdmin, path: string) {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
  const response = await app.request(`/admin/v1${path}`, { method: "DELETE", headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

async function newStore(admin: TestAdmin): Promise<string> {
  const made = await admin.post("/vector-stores", { name: "Books", wallet: "team" });
  assertEquals(made.status, 201);
  return `/vector-stores/${made.body.id}`;
}

Deno.test("a vector store is made, filled, searched and removed", async () => {
  await withAdmin(async (admin) => {
    const store = await newStore(admin);
    const query = { filename: "handbook.md", attributes: '{"lang":"en","year":2026}' };
    const added = await upload(admin, `${store}/files`, { body: HANDBOOK, query });
    assertEquals(added.status, 201);
    const { id: fileId, ...file } = added.body;
    assertEquals(file, {
      filename: "handbook.md",
      mediaType: "text/markdown",
      bytes: 66,
      passages: 1,
      embedded: false,
      createdAt: "2026-11-21T12:00:00.000Z",
      attributes: { lang: "en", year: 2026 },
    });
    assertEquals((await admin.get(`${store}/files`)).body, { files: [added.body], cursor: null });
    assertEquals((await admin.get(`${store}/files/${fileId}`)).body, added.body);
    const shown = (await admin.get(store)).body;
    assertEquals([shown.name, shown.wallet, shown.files, shown.passages], ["Books", "team", 1, 1]);
    const listed = async (query: string) => (await admin.get(`/vector-stores?${query}`)).body;
    assertEquals(await listed("wallet=team"), { vectorStores: [shown], cursor: null });
    assertEquals(await listed("wallet=other"), { vectorStores: [], cursor: null });

    const filter = { type: "and", filters: [{ type: "gte", key: "year", value: 2026 }] };
    const results = await admin.post(`${store}/search`, { query: "wind force", filter });
    const [hit] = results.body.results;
    assertEquals(hit, { ...hit, fileId, filename: "handbook.md", text: HANDBOOK });
    assert(hit.score > 0 && hit.score <= 1);
    const none = { query: "wind", filter: { type: "eq", key: "lang", value: "zh" } };
    assertEquals((await admin.post(`${store}/search`, none)).body, { results: [] });

    assertEquals((await remove(admin, `${store}/files/${fileId}`)).body, {
      id: fileId,
      deleted: true,
    });
    assertRefused(await remove(admin, `${store}/files/${fileId}`), {
      status: 404,
      code: "not_found",
    });
    assertEquals((await remove(admin, store)).body.deleted, true);
    assertRefused(await remove(admin, store), { status: 404, code: "not_found" });
  });
});

Deno.test("a missing item is 404, a wrong field is refused by name", async () => {
  await withAdmin(async (admin) => {
    const store = await newStore(admin);
    const missing = { status: 404, code: "not_found" };
    assertRefused(await admin.get("/vector-stores/vs_none"), missing);
    assertRefused(await admin.get("/vector-stores/vs_none/files"), missing);
    assertRefused(await admin.get(`${store}/files/file_none`), missing);
    assertRefused(await admin.post("/vector-stores/vs_none/search", { query: "a" }), missing);
    assertRefused(await upload(admin, "/vector-stores/vs_none/files", { body: "a" }), missing);
    const invalid = (param: string) => ({ status: 400, code: "invalid_request", param });
    const create = (body: object) => admin.post("/vector-stores", body);
    assertRefused(await create({ name: " ", wallet: "team" }), invalid("name"));
    assertRefused(await create({ name: "a", wallet: "tem" }), invalid("wallet"));
    assertRefused(await create({ name: "a", wallet: "team", file: 1 }), invalid("file"));
    const search = (body: object) => admin.post(`${store}/search`, body);
    assertRefused(await search({ query: "" }), invalid("query"));
    assertRefused(await search({ query: "a", maxResults: 51 }), invalid("maxResults"));
    assertRefused(await search({ query: "a", scoreThreshold: 2 }), invalid("scoreThreshold"));
    const filter = { type: "or", filters: [{ type: "eq", key: "a" }] };
    assertRefused(await search({ query: "a", filter }), invalid("filter.filters.0.value"));
    const refused = await admin.app.request(`/admin/v1${store}`, {
      method: "PUT",
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    assertEquals([refused.status, refused.headers.get("allow")], [405, "GET, DELETE"]);
    await refused.body?.cancel();
  });
});

Deno.test("files that cannot be read are refused: 400, 413, 415, 409", async () => {
  await withAdmin(async (admin) => {
    const path = `${await newStore(admin)}/files`;
    const add = (options: Parameters<typeof upload>[2]) => upload(admin, path, options);
    const pdf = await add({ body: "no pdf", type: "application/pdf" });
    assertRefused(pdf, { status: 400, code: "invalid_request" });
    assertStringIncludes(pdf.body.error.message, 'Cannot read "handbook.md": it is damaged');
    assertRefused(await add({ body: " " }), { status: 400, code: "invalid_request" });
    const invalid = (param: string) => ({ status: 400, code: "invalid_request", param });
    assertRefused(await add({ body: "a", query: {} }), invalid("filename"));
    for (const attributes of ["[", "[]", '{"a":[]}']) {
      const { body, status } = await add({ body: "a", query: { filename: "a.md", attributes } });
      assertEquals(status, 400);
      assert(body.error.param.startsWith("attributes"), body.error.param);
    }
    const type = "application/octet-stream";
    assertEquals((await add({ body: "a", type })).body.mediaType, "text/markdown");
    for (const filename of ["a.docx", "none", "a.constructor"]) {
      const answer = await add({ body: "a", type, query: { filename } });
      assertRefused(answer, { status: 415, code: "unsupported_media_type" });
    }
    assertRefused(await add({ body: "a", type: "image/png" }), {
      status: 415,
      code: "unsupported_media_type",
    });
    assertRefused(await add({ body: "x".repeat(32 * 1024 * 1024 + 1) }), {
      status: 413,
      code: "body_too_large",
    });
  });
});

Deno.test("a reached limit is a conflict; an oversized file is 413 for any declared size", async () => {
  const full = { ok: false, refusal: { code: "full", message: "All is full" } } as const;
  const store = { id: "vs_1", ownerId: "team", name: "a", createdAtMs: 0, files: 0 };
  const refusals = [full.refusal, { code: "too_large", message: "Too large" } as const];
  await withAdmin(async (admin) => {
    assertRefused(await admin.post("/vector-stores", { name: "a", wallet: "team" }), {
      status: 409,
      code: "conflict",
    });
    for (const status of [409, 413]) {
      assertEquals(
        (await upload(admin, "/vector-stores/vs_1/files", { body: "a" })).status,
        status,
      );
    }
  }, {
    vectorStores: {
      create: () => Promise.resolve(full),
      describe: () => Promise.resolve(undefined),
      addUnread: () => Promise.resolve(full),
      sweep: () => Promise.resolve(0),
      list: () => [],
      listOf: () => Promise.resolve([]),
      find: () => Promise.resolve({ ...store, passages: 0, textBytes: 0, revision: 0 }),
      get: () => ({ ...store, passages: 0, textBytes: 0, revision: 0 }),
      remove: () => Promise.resolve(false),
      addFile: () => Promise.resolve({ ok: false, refusal: refusals.shift() ?? full.refusal }),
      files: () => Promise.resolve(undefined),
      text: () => Promise.resolve(undefined),
      setAttributes: () => Promise.resolve(undefined),
      removeFile: () => Promise.resolve(false),
      removeText: () => Promise.resolve(false),
      embeddingSpace: () => undefined,
      embedFile: () => Promise.resolve({ ok: false, code: "off", message: "Off" }),
      search: () => Promise.resolve(full),
      close: () => Promise.resolve(),
    },
  });
});
