import { assertEquals, assertRejects } from "@std/assert";
import {
  type CatalogOptions,
  ConfigurationError,
  MissingAPIKeyError,
  ServiceAPIError,
} from "../mod.ts";
import type { ServiceClient } from "../mod.ts";
import { json, scripted } from "../scripted_service_test.ts";

const META = { tiers: [], skus: [], featureTags: [], industryPacks: [], providers: [] };
const CALLS: readonly [
  path: string,
  answer: Readonly<Record<string, unknown>>,
  call: (client: ServiceClient, options?: CatalogOptions) => Promise<unknown>,
][] = [
  ["/api/v1/models", { data: { models: [] } }, ({ models }, options) => models.list(options)],
  ["/api/v1/models/meta", META, ({ models }, options) => models.meta(options)],
  ["/api/v1/pricing", { tiers: [] }, ({ pricing }, options) => pricing.retrieve(options)],
];

for (const [path, answer, call] of CALLS) {
  Deno.test(`GET ${path} carries the locale and the caller's id, and tells the answer's`, async () => {
    const headers = { "x-request-id": "req-1" };
    const { client, sent } = scripted(json({ ...answer, more: 1 }, { headers }));
    assertEquals(await call(client), { ...answer, more: 1, requestId: "req-1" });
    await call(client, { locale: "zh", requestId: "mine" });
    assertEquals(sent.map(({ method, url }) => [method, url]), [
      ["GET", `http://svc.test${path}`],
      ["GET", `http://svc.test${path}?locale=zh`],
    ]);
    assertEquals(sent.map(({ headers }) => headers.get("x-request-id")), [null, "mine"]);
    assertEquals(sent.map(({ text }) => text), ["", ""]);
  });

  Deno.test(`GET ${path} refuses the answer of another service`, async () => {
    const [[list = ""] = []] = Object.entries(answer);
    for (const other of [{}, { status: "ok" }, { ...answer, [list]: null }]) {
      const { client } = scripted(json(other));
      const error = await assertRejects(() => call(client), ServiceAPIError, "something else");
      assertEquals([error.status, error.body], [200, other]);
    }
  });

  Deno.test(`GET ${path} refuses an unknown option`, async () => {
    const { client, sent } = scripted(json({}));
    const options = JSON.parse('{"lang":"zh"}');
    await assertRejects(() => call(client, options), ConfigurationError, '"lang"');
    assertEquals(sent, []);
  });

  Deno.test(`GET ${path} sends nothing without a configured host`, async () => {
    const options = { apiBaseUrl: undefined, openAIBaseUrl: "http://models.test/v1" };
    const { client, sent } = scripted(json({}), options);
    await assertRejects(() => call(client), ConfigurationError, "pass apiBaseUrl");
    assertEquals(sent, []);
  });
}

Deno.test("only the list of models works without a key", async () => {
  const { client, sent } = scripted(json({ success: true, data: { models: [] } }), { apiKey: "" });
  const { data, success } = await client.models.list();
  assertEquals([success, data.models], [true, []]);
  await assertRejects(() => client.models.meta(), MissingAPIKeyError);
  await assertRejects(() => client.pricing.retrieve(), MissingAPIKeyError);
  assertEquals(sent.map(({ headers }) => headers.has("authorization")), [false]);
});
