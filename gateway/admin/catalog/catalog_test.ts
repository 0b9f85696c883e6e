import { assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, CONTENT, START_MS, withAdmin } from "../admin_test_support.ts";

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
    assertEquals(rehearsed.body, { changes, warnings: [], cuts: [], version: 1, applied: false });
    assertEquals(deps.catalogs.current().version, 1);
    clock.ms += 1_000;
    const applied = await post("/catalog/apply", { content, expectedVersion: 1, note: "Save" });
    assertEquals(applied.body, { changes, warnings: [], cuts: [], version: 2, applied: true });
    assertEquals(deps.catalogs.current().models.map(({ id }) => id), ["fast-mini"]);
    const updatedAt = new Date(START_MS + 1_000).toISOString();
    const { versions: [newest], cursor } = (await get("/catalog/versions?limit=1")).body;
    assertEquals(newest, { version: 2, updatedAt, note: "Save" });
    const rest = (await get(`/catalog/versions?limit=1&cursor=${cursor}`)).body;
    assertEquals([rest.versions[0].version, rest.versions.length, rest.cursor], [1, 1, null]);
  });
});

Deno.test("POST /catalog/apply says which dial former weights mean", async () => {
  await withAdmin(async ({ deps, post }) => {
    const { auto: _, ...content } = CONTENT;
    const scoring = { quality: 1, price: 0, latency: 1 };
    const { body } = await post("/catalog/apply", { content: { ...content, scoring } });
    assertEquals([deps.catalogs.current().auto, body.warnings], [{ dial: 1 }, [
      'The former "scoring" of the configuration now means the dial best: ' +
      'write "auto": {"dial": "best"} instead',
    ]]);
  });
});

Deno.test("POST /catalog/apply makes no version where nothing changes", async () => {
  await withAdmin(async ({ get, post }) => {
    const { content } = (await get("/catalog")).body;
    const answer = await post("/catalog/apply", { content });
    assertEquals(answer.body, { changes: [], warnings: [], cuts: [], version: 1, applied: false });
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

Deno.test("the key of web search is hidden, kept where it was, and never moved", async () => {
  await withAdmin(async ({ deps, get, post }) => {
    const search = {
      kind: "brave",
      baseUrl: "http://127.0.0.1:9",
      apiKey: "search-secret",
      pricePerSearch: "0.005",
    } as const;
    const apply = (search: unknown) => post("/catalog/apply", { content: { ...CONTENT, search } });
    const applied = await apply(search);
    assertEquals(applied.body.changes[0].path, "search");
    const hidden = { ...search, apiKey: "(hidden)" };
    const shown = await get("/catalog");
    assertEquals(shown.body.content.search, hidden);
    for (const { body } of [applied, shown, await get("/catalog/versions/2")]) {
      assertEquals(JSON.stringify(body).includes("search-secret"), false);
    }
    await apply({ ...hidden, pricePerSearch: "0.01" });
    assertEquals(deps.catalogs.current().search, { ...search, pricePerSearch: "0.01" });
    for (const moved of [{ baseUrl: "http://evil.test" }, { kind: "tavily" }]) {
      assertRefused(await apply({ ...hidden, ...moved }), { ...INVALID, param: "search.apiKey" });
    }
  });
});

Deno.test("a rollback brings web search back", async () => {
  await withAdmin(async ({ deps, post }) => {
    const search = { kind: "offline", pricePerSearch: "0.001" };
    await post("/catalog/apply", { content: { ...CONTENT, search } });
    await post("/catalog/apply", { content: CONTENT });
    assertEquals(deps.catalogs.current().search, undefined);
    await post("/catalog/rollback", { version: 2 });
    assertEquals<unknown>(deps.catalogs.current().search, search);
  });
});

Deno.test("embeddings are applied, held to their upstream, and come back with a rollback", async () => {
  await withAdmin(async ({ deps, post }) => {
    const vectorStores = { embeddings: { upstream: "lab", model: "small" } };
    const apply = (content: object) => post("/catalog/apply", { content });
    const { body } = await apply({ ...CONTENT, vectorStores });
    assertEquals(body.changes.map(({ path }: { path: string }) => path), ["vectorStores"]);
    assertEquals(deps.catalogs.current().vectorStores, vectorStores);
    const elsewhere = { embeddings: { upstream: "gone", model: "small" } };
    assertRefused(await apply({ ...CONTENT, vectorStores: elsewhere }), {
      ...INVALID,
      param: "vectorStores.embeddings.upstream",
    });
    await apply(CONTENT);
    assertEquals(deps.catalogs.current().vectorStores, undefined);
    await post("/catalog/rollback", { version: 2 });
    assertEquals(deps.catalogs.current().vectorStores, vectorStores);
  });
});

Deno.test("web search whose variable is not set is warned of", async () => {
  await withAdmin(async ({ post }) => {
    const search = { kind: "tavily", apiKeyEnv: "TAVILY_API_KEY" };
    const { body } = await post("/catalog/apply", { content: { ...CONTENT, search } });
    assertStringIncludes(body.warnings.join(), "TAVILY_API_KEY is not set");
  }, { env: () => undefined });
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

Deno.test("POST /catalog/apply refuses an outdated version", async () => {
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

Deno.test("a rollback is rehearsed, and refused on another version than the one looked at", async () => {
  await withAdmin(async ({ deps, post }) => {
    await post("/catalog/apply", { content: CHEAPER });
    const { body } = await post("/catalog/rollback", { version: 1, dryRun: true });
    assertEquals([body.applied, body.changes.length > 0, body.version], [false, true, 2]);
    const late = await post("/catalog/rollback", { version: 1, expectedVersion: 1 });
    assertRefused(late, { status: 409, code: "conflict", param: "expectedVersion" });
    assertEquals(deps.catalogs.current().version, 2);
  });
});

Deno.test("any two versions of the catalog are compared, with keys hidden", async () => {
  await withAdmin(async ({ get, post }) => {
    const [lab] = CONTENT.upstreams;
    await post("/catalog/apply", {
      content: { ...CONTENT, upstreams: [{ ...lab, apiKey: "other-secret" }] },
    });
    const difference = (await get("/catalog/versions/2/changes")).body;
    const hidden = { kind: "changed", before: "(hidden)", after: "(hidden)" };
    assertEquals(difference.changes, [{ path: "upstreams.lab.apiKey", ...hidden }]);
    assertEquals([difference.version, difference.since], [2, 1]);
    assertEquals(
      (await get("/catalog/versions/1/changes?since=2")).body.changes,
      difference.changes,
    );
    assertEquals((await get("/catalog/versions/1/changes")).body.since, null);
    assertEquals((await get("/catalog/versions/1/changes?since=7")).status, 404);
    assertEquals((await get("/catalog/versions/1/changes?since=x")).status, 400);
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

const WITHOUT_STANDARD = { ...CONTENT, tiers: CONTENT.tiers.slice(0, 1) };

Deno.test("a tier in which wallets are is removed by force only, and then with a warning", async () => {
  await withAdmin(async ({ deps, post }) => {
    await post("/wallets", { id: "lab", tier: "basic" });
    await post("/wallets", { id: "crew", tier: "standard" });
    for (const dryRun of [true, false]) {
      const refused = await post("/catalog/apply", { content: WITHOUT_STANDARD, dryRun });
      assertRefused(refused, { status: 409, code: "conflict", param: "tiers" });
      const { message } = refused.body.error;
      assertStringIncludes(message, 'Cannot remove the tier "standard" of wallets "crew", "team"');
      assertStringIncludes(message, "--force");
    }
    assertEquals(deps.catalogs.current().version, 1);
    const forced = await post("/catalog/apply", { content: WITHOUT_STANDARD, force: true });
    assertEquals([forced.body.version, forced.body.warnings], [2, [
      'Wallets "crew", "team" cannot spend: the catalog has no tier "standard"',
    ]]);
    // What is gone already is not removed: other changes go on, with the warning.
    const content = { ...WITHOUT_STANDARD, models: CHEAPER.models };
    const next = await post("/catalog/apply", { content });
    assertEquals([next.body.applied, next.body.warnings.length], [true, 1]);
  });
});

Deno.test("a rollback removes a tier in which wallets are by force only", async () => {
  await withAdmin(async ({ post }) => {
    await post("/catalog/apply", { content: WITHOUT_STANDARD, force: true });
    await post("/catalog/apply", { content: CONTENT });
    const refused = await post("/catalog/rollback", { version: 2 });
    assertRefused(refused, { status: 409, code: "conflict", param: "tiers" });
    assertEquals((await post("/catalog/rollback", { version: 2, force: true })).body.version, 4);
  });
});

Deno.test("keys that a catalog leaves without any model are named", async () => {
  await withAdmin(async ({ get, post }) => {
    const key = async (name: string, policy: unknown): Promise<string> =>
      (await post("/keys", { name, wallet: "team", policy })).body.id;
    const slow = await key("slow", { models: ["slow-maxi"] });
    const both = await key("both", { models: ["slow-maxi", "fast-mini"] });
    await key("expired", { models: ["slow-maxi"], expiresAt: "2020-01-01T00:00:00Z" });
    const revoked = await key("revoked", { models: ["slow-maxi"] });
    await post(`/keys/${revoked}/revoke`);
    const rehearsed = await post("/catalog/apply", { content: CHEAPER, dryRun: true });
    const warnings = [
      `Key "slow" (${slow}) may use none of the models`,
      `Key "both" (${both}) loses the model "slow-maxi"`,
    ];
    assertEquals(rehearsed.body.warnings, warnings);
    assertEquals((await post("/catalog/apply", { content: CHEAPER })).body.warnings, warnings);

    const lab = await post("/wallets", { id: "lab", tier: "basic" });
    assertEquals(lab.status, 201);
    const { id } = (await post("/keys", { name: "lab", wallet: "lab" })).body;
    const tiers = CONTENT.tiers.map((tier) => tier.id === "basic" ? { ...tier, models: [] } : tier);
    const closed = await post("/catalog/apply", { content: { ...CONTENT, tiers } });
    assertEquals(closed.body.warnings, [`Key "lab" (${id}) may use none of the models`]);
    assertEquals((await get("/catalog")).body.version, 3);
  });
});

Deno.test("an upstream whose variable is not set is warned of", async () => {
  const upstreams = CONTENT.upstreams.map(({ apiKey: _, ...rest }) => (
    { ...rest, apiKeyEnv: "LAB_KEY" }
  ));
  const content = { ...CONTENT, upstreams };
  let key: string | undefined;
  await withAdmin(async ({ get, post }) => {
    const apply = async () => (await post("/catalog/apply", { content })).body.warnings;
    const [nothing, warning] = await apply();
    assertStringIncludes(nothing, "No upstream is left that can be called");
    assertStringIncludes(
      warning,
      'Upstream "lab" has no credentials: the environment variable LAB_KEY',
    );
    const [model] = (await get("/models")).body.models;
    assertEquals([model.status, model.reason], [
      "no credentials",
      "The environment variable LAB_KEY is not set",
    ]);
    key = "sk-1";
    assertEquals(await apply(), []);
    assertEquals((await get("/models")).body.models[0].status, "available");
  }, { env: (name) => name === "LAB_KEY" ? key : undefined });
});
