import { assertEquals, assertRejects } from "@std/assert";
import { ConfigError } from "./config_error.ts";
import { parseConfig } from "./parse_config.ts";

const TEXT = { en: "Standard", zh: "标准" };

function parse(upstream: string, search: string) {
  const price = { inputPerMTok: "1", outputPerMTok: "2" };
  const file = {
    upstreams: [{ id: "lab", kind: "openai-compatible", baseUrl: upstream }],
    models: [{ id: "a", upstream: "lab", quality: 0.5, contextTokens: 8_000, price }],
    tiers: [{ id: "t", creditsPerUsd: "1", models: "*", name: TEXT, description: TEXT }],
    search: { kind: "searxng", baseUrl: search },
  };
  return parseConfig(JSON.stringify(file), { fileName: "svc.json" });
}

Deno.test("no upstream and no search is at a metadata service", async () => {
  const forbidden = "http://169.254.169.254/latest";
  const error = await assertRejects(() => parse(forbidden, forbidden), ConfigError);
  const why = "Write another address: this one is link-local or a cloud's metadata service";
  assertEquals(error.problems, [`upstreams.0.baseUrl: ${why}`, `search.baseUrl: ${why}`]);
  const private10 = await parse("http://10.0.0.1/v1", "http://127.0.0.1:8080");
  assertEquals(private10.content.upstreams[0]?.baseUrl, "http://10.0.0.1/v1");
});
