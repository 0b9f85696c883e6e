import { assertEquals, assertRejects } from "@std/assert";
import { type CatalogOptions, ConfigurationError } from "../mod.ts";
import type { ServiceClient } from "../mod.ts";
import { json, scripted } from "../scripted_service_test.ts";

const CALLS: readonly [
  path: string,
  call: (client: ServiceClient, options?: CatalogOptions) => Promise<unknown>,
][] = [
  ["/api/v1/models", ({ models }, options) => models.list(options)],
  ["/api/v1/models/meta", ({ models }, options) => models.meta(options)],
  ["/api/v1/pricing", ({ pricing }, options) => pricing.retrieve(options)],
];

for (const [path, call] of CALLS) {
  Deno.test(`GET ${path} refuses an unknown option`, async () => {
    const { client, sent } = scripted(json({}));
    const options = JSON.parse('{"lang":"zh"}');
    await assertRejects(() => call(client, options), ConfigurationError, '"lang"');
    assertEquals(sent, []);
  });
}
