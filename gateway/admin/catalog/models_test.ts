import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertRefused, CONTENT, START_MS, withAdmin } from "../admin_test_support.ts";

Deno.test("GET /models joins the catalog with the state of the pool", async () => {
  await withAdmin(async ({ get, pool }) => {
    const idle = (await get("/models")).body;
    assertEquals(idle.version, 1);
    assertEquals(idle.models[0], {
      id: "fast-mini",
      name: "fast-mini",
      upstream: "lab",
      upstreamModel: "fast-mini",
      endpoints: ["chat"],
      quality: 0.6,
      price: CONTENT.models[0]?.price,
      status: "available",
      reason: null,
      retryAfterMs: null,
      latencyMs: null,
      failures: 0,
      inFlight: 3,
    });
    pool.set("fast-mini", { available: true, latencyMs: 120, failures: 2 });
    pool.set("slow-maxi", { available: false, reason: "Asked to wait", retryAfterMs: 5_000 });
    const [fast, slow] = (await get("/models")).body.models;
    assertEquals([fast.status, fast.latencyMs, fast.failures], ["available", 120, 2]);
    assertEquals([slow.status, slow.reason, slow.retryAfterMs], [
      "degraded",
      "Asked to wait",
      5_000,
    ]);
  });
});

Deno.test("GET /models shows what the operator took out as disabled", async () => {
  await withAdmin(async ({ get, pool, stores }) => {
    const models = CONTENT.models.map((model) => ({ ...model, disabled: true }));
    await stores.catalogs.apply({ ...CONTENT, models }, { expected: 1, note: "", atMs: START_MS });
    pool.set("fast-mini", { available: false });
    const [fast] = (await get("/models")).body.models;
    assertEquals([fast.status, fast.reason], ["disabled", "Disabled in the catalog"]);
  });
});

Deno.test("GET /upstreams/{id}/models asks the upstream, and gives its connection back", async () => {
  let closed = 0;
  const close = () => void closed++;
  await withAdmin(async ({ get }) => {
    const { body } = await get("/upstreams/lab/models");
    assertEquals(body, { upstream: "lab", models: ["mini"] });
    assertEquals(closed, 1);
    const unknown = await get("/upstreams/lob/models");
    assertRefused(unknown, { status: 404, code: "not_found" });
    assertStringIncludes(unknown.body.error.message, 'the nearest is "lab"');
  }, { connect: () => ({ models: () => Promise.resolve(["mini"]), close }) });
  await withAdmin(async ({ get, lines }) => {
    const failed = await get("/upstreams/lab/models");
    assertRefused(failed, { status: 502, code: "upstream_error" });
    assertStringIncludes(failed.body.error.message, "Connection refused");
    assertEquals(closed, 2);
    assert(lines.length > 0);
  }, { connect: () => ({ models: () => Promise.reject(new Error("Connection refused")), close }) });
  await withAdmin(async ({ get }) => {
    const failed = await get("/upstreams/lab/models");
    assertStringIncludes(failed.body.error.message, "LAB_KEY is not set");
  }, {
    connect: () => {
      throw new Error("LAB_KEY is not set");
    },
  });
});
