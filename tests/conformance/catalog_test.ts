import { assert, assertEquals, assertFalse, assertMatch } from "@std/assert";
import type { ModelListResponse, ModelMetaResponse, PricingResponse } from "@svc/sdk/protocol";
import { labConfig, UPSTREAM_KEY } from "../fixtures/lab.ts";
import { BOOTSTRAP_KEY, TestService } from "../fixtures/service.ts";

/** An address without a server; no test calls it. */
const NOWHERE = "http://127.0.0.1:1/v1";

function start(): Promise<TestService> {
  return TestService.start({
    config: labConfig(
      {
        id: "small",
        baseUrl: NOWHERE,
        price: { inputPerMTok: "0.31415", outputPerMTok: "2.71828" },
        more: { description: { en: "Small and quick", zh: "小巧快速" }, sku: "text" },
      },
      { id: "large", baseUrl: NOWHERE, featureTags: ["tools"], more: { industryPacks: ["law"] } },
    ),
  });
}

function get(
  service: TestService,
  path: string,
  headers: Readonly<Record<string, string>> = { "x-api-key": BOOTSTRAP_KEY },
): Promise<Response> {
  return fetch(`${service.running.publicUrl}${path}`, { headers });
}

Deno.test("GET /api/v1/models is public, in the envelope, in the locale asked for", async () => {
  await using service = await start();
  const list = async (query: string): Promise<ModelListResponse> => {
    const response = await get(service, `/api/v1/models${query}`, {});
    assertEquals(response.status, 200);
    return await response.json();
  };
  const english = await list("");
  assertEquals(english, await list("?locale=en"));
  const chinese = await list("?locale=zh");
  assertEquals(Object.keys(english), ["success", "data"]);
  assertEquals(english.success, true);
  const [small] = english.data.models;
  assertEquals(small, {
    id: "small",
    name: small?.name ?? "",
    provider: small?.provider ?? "",
    description: "Small and quick",
    modality: "text",
    endpoints: ["chat", "responses"],
    contextTokens: 100_000,
    maxOutputTokens: 1_000,
    featureTags: ["tools", "json", "vision"],
    industryPacks: [],
    sku: "text",
    tiers: ["standard"],
    status: "available",
  });
  assertEquals(chinese.data.models[0]?.description, "小巧快速");
});

Deno.test("GET /api/v1/models/meta lists every value with its count, at the top level", async () => {
  await using service = await start();
  const meta: ModelMetaResponse = await (await get(service, "/api/v1/models/meta")).json();
  assertEquals(Object.keys(meta).sort(), [
    "featureTags",
    "industryPacks",
    "providers",
    "skus",
    "tiers",
    "updatedAt",
  ]);
  const counts = Object.fromEntries(meta.featureTags.map(({ id, count }) => [id, count]));
  assertEquals(counts, { tools: 2, json: 1, vision: 1 });
  assertEquals(meta.industryPacks.map(({ id, count }) => [id, count]), [["law", 1]]);
  assertEquals(meta.tiers.map(({ id, name, count }) => [id, name, count]), [
    ["standard", "Standard", 2],
  ]);
  assertMatch(meta.updatedAt, /^\d{4}-\d\d-\d\dT/);
  const chinese: ModelMetaResponse = await (await get(service, "/api/v1/models/meta?locale=zh"))
    .json();
  assertEquals(chinese.tiers[0]?.name, "标准");
});

Deno.test("GET /api/v1/pricing tells exchange rates by tier", async () => {
  await using service = await start();
  const pricing: PricingResponse = await (await get(service, "/api/v1/pricing")).json();
  assertEquals(pricing, {
    currency: "credits",
    tiers: [{
      tier: "standard",
      name: "Standard",
      description: "All models",
      exchangeRate: { usd: "1", credits: "1000" },
    }],
    updatedAt: pricing.updatedAt,
  });
});

for (const path of ["/api/v1/models", "/api/v1/models/meta", "/api/v1/pricing"]) {
  Deno.test(`${path} has an ETag of its content, and answers 304 to a request that names it`, async () => {
    await using service = await start();
    const key = { "x-api-key": BOOTSTRAP_KEY };
    const first = await get(service, path);
    await first.body?.cancel();
    const etag = first.headers.get("etag");
    assert(etag !== null && first.headers.get("cache-control") !== null);
    const again = await get(service, path, { ...key, "if-none-match": etag });
    assertEquals([again.status, await again.text()], [304, ""]);
    assertEquals(again.headers.get("etag"), etag);
    assert(again.headers.get("x-request-id") !== null);
    const chinese = await get(service, `${path}?locale=zh`, { ...key, "if-none-match": etag });
    assertEquals(chinese.status, 200, "another language is another content");
    await chinese.body?.cancel();
  });
}

Deno.test("no public answer tells a provider's price, an upstream's address or its key", async () => {
  await using service = await start();
  const answers = await Promise.all([
    "/api/v1/models",
    "/api/v1/models?locale=zh",
    "/api/v1/models/meta",
    "/api/v1/pricing",
    "/openai/v1/models",
    "/readyz",
    "/healthz",
    "/nothing",
  ].map(async (path) => (await get(service, path)).text()));
  const failed = await service.chat({ messages: [{ role: "user", content: "Hi" }] });
  assertEquals(failed.status, 502);
  answers.push(await failed.text());
  for (const answer of answers) {
    for (const secret of ["0.31415", "2.71828", UPSTREAM_KEY, "127.0.0.1:1", "real-small"]) {
      assertFalse(answer.includes(secret), `${secret} in ${answer}`);
    }
  }
});

Deno.test("every answer carries X-Request-ID: the caller's own where one was sent", async () => {
  await using service = await start();
  const paths = ["/healthz", "/readyz", "/api/v1/models", "/api/v1/pricing", "/openai/v1/models"];
  for (const path of [...paths, "/nothing", "/openai/v1/chat/completions"]) {
    const made = await get(service, path);
    assertMatch(made.headers.get("x-request-id") ?? "", /^req_[0-9a-z]+$/);
    await made.body?.cancel();
    const own = await get(service, path, { "x-request-id": "Mine!~42" });
    assertEquals(own.headers.get("x-request-id"), "Mine!~42", path);
    await own.body?.cancel();
  }
});

Deno.test("the model list of OpenAI's shape holds auto alone", async () => {
  await using service = await start();
  const { object, data } = await (await get(service, "/openai/v1/models")).json();
  assertEquals(object, "list");
  assertEquals(data.length, 1);
  assertEquals([data[0].id, data[0].object, typeof data[0].created], ["auto", "model", "number"]);
});

Deno.test("readyz and healthz answer while the service runs", async () => {
  await using service = await start();
  for (const [path, status] of [["/healthz", "ok"], ["/readyz", "ready"]] as const) {
    const response = await get(service, path, {});
    assertEquals([response.status, await response.json()], [200, { status }]);
  }
});
