import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, CONTENT, START_MS, withAdmin } from "./admin_test_support.ts";

const HIDDEN = CONTENT.upstreams.map((upstream) => ({ ...upstream, apiKey: "(hidden)" }));
const CHEAPER = {
  ...CONTENT,
  models: CONTENT.models.filter(({ id }) => id === "fast-mini"),
};
const INVALID = { status: 400, code: "invalid_request" };

Deno.test("GET /catalog shows the version in force, without provider keys", async () => {
  await withAdmin(async ({ get }) => {
    const { body } = await get("/catalog");
    assertEquals(body, {
      version: 1,
      updatedAt: new Date(START_MS).toISOString(),
      content: { ...CONTENT, upstreams: HIDDEN },
    });
    assertEquals((await get("/catalog/versions/1")).body, body);
  });
});

Deno.test("POST /catalog/apply says what changes, applies it, and history tells", async () => {
  await withAdmin(async ({ clock, deps, get, post }) => {
    const changes = [{ path: "models.slow-maxi", kind: "removed", before: CONTENT.models[1] }];
    const content = CHEAPER;
    const rehearsed = await post("/catalog/apply", { content, dryRun: true });
    assertEquals(rehearsed.body, { changes, version: 1, applied: false });
    assertEquals(deps.catalogs.current().version, 1);
    clock.ms += 1_000;
    const applied = await post("/catalog/apply", { content, expectedVersion: 1, note: "Save" });
    assertEquals(applied.body, { changes, version: 2, applied: true });
    assertEquals(deps.catalogs.current().models.map(({ id }) => id), ["fast-mini"]);
    const updatedAt = new Date(START_MS + 1_000).toISOString();
    assertEquals((await get("/catalog/versions?limit=1")).body, {
      versions: [{ version: 2, updatedAt, note: "Save" }],
    });
  });
});

Deno.test("POST /catalog/apply makes no version where nothing changes", async () => {
  await withAdmin(async ({ get, post }) => {
    const { content } = (await get("/catalog")).body;
    const answer = await post("/catalog/apply", { content });
    assertEquals(answer.body, { changes: [], version: 1, applied: false });
    assertEquals((await get("/catalog/versions")).body.versions.length, 1);
  });
});

Deno.test("POST /catalog/apply keeps hidden provider keys, but never moves them", async () => {
  await withAdmin(async ({ deps, post }) => {
    const kept = { ...CHEAPER, upstreams: HIDDEN };
    assertEquals((await post("/catalog/apply", { content: kept })).body.applied, true);
    assertEquals(deps.catalogs.current().upstreams[0]?.apiKey, "provider-secret");
    const upstreams = HIDDEN.map((upstream) => ({ ...upstream, baseUrl: "http://evil.test/v1" }));
    const moved = await post("/catalog/apply", { content: { ...CHEAPER, upstreams } });
    assertRefused(moved, { ...INVALID, param: "upstreams.0.apiKey" });
    const renamed = HIDDEN.map((upstream) => ({ ...upstream, apiKey: "new-secret" }));
    const shown = await post("/catalog/apply", { content: { ...CHEAPER, upstreams: renamed } });
    assertEquals(JSON.stringify(shown.body).includes("secret"), false);
    assertEquals(shown.body.changes[0].path, "upstreams.lab.apiKey");
  });
});

Deno.test("POST /catalog/apply refuses an invalid configuration with the path", async () => {
  await withAdmin(async ({ post }) => {
    const apply = (content: unknown) => post("/catalog/apply", { content });
    const unknown = await apply({ ...CONTENT, modles: [] });
    assertRefused(unknown, INVALID);
    assertStringIncludes(unknown.body.error.message, '"models"');
    const models = [{ ...CONTENT.models[0], upstream: "none" }];
    assertRefused(await apply({ ...CONTENT, models }), { ...INVALID, param: "models.0.upstream" });
    assertRefused(await apply({ ...CONTENT, upstreams: "none" }), INVALID);
    assertRefused(await apply({ ...CONTENT, upstreams: [null] }), INVALID);
    assertRefused(await apply("text"), { ...INVALID, param: "content" });
    assertRefused(await post("/catalog/apply", { content: CONTENT, dryrun: true }), {
      ...INVALID,
      param: "dryrun",
    });
  });
});

Deno.test("POST /catalog/apply refuses where somebody was faster", async () => {
  const conflict = { status: 409, code: "conflict", param: "expectedVersion" };
  await withAdmin(async ({ post }) => {
    const stale = await post("/catalog/apply", { content: CHEAPER, expectedVersion: 2 });
    assertRefused(stale, conflict);
  });
  await withAdmin(async ({ post }) => {
    assertRefused(await post("/catalog/apply", { content: CHEAPER }), conflict);
  }, { applyCatalog: () => Promise.resolve(undefined) });
});

Deno.test("POST /catalog/rollback makes a new version that equals an old one", async () => {
  await withAdmin(async ({ deps, get, post }) => {
    await post("/catalog/apply", { content: CHEAPER });
    const back = await post("/catalog/rollback", { version: 1 });
    assertEquals([back.body.version, back.body.applied], [3, true]);
    assertEquals(deps.catalogs.current().models.length, 2);
    assertEquals(deps.catalogs.current().upstreams[0]?.apiKey, "provider-secret");
    const { versions } = (await get("/catalog/versions")).body;
    assertEquals(versions[0].note, "Back to version 1");
    const again = await post("/catalog/rollback", { version: 1 });
    assertEquals([again.body.version, again.body.applied], [3, false]);
  });
});

Deno.test("catalog versions that do not exist are 404", async () => {
  await withAdmin(async ({ get, post }) => {
    const missing = { status: 404, code: "not_found" };
    for (const version of ["2", "0", "1e1", "99999999999999999999"]) {
      assertRefused(await get(`/catalog/versions/${version}`), missing);
    }
    assertRefused(await post("/catalog/rollback", { version: 9 }), missing);
    assertRefused(await post("/catalog/rollback", { version: 0 }), {
      ...INVALID,
      param: "version",
    });
  });
});
