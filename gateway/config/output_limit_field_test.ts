import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConfigError } from "./config_error.ts";
import { parseConfig } from "./parse_config.ts";

function parse(upstreams: readonly Record<string, unknown>[]) {
  const name = { en: "Standard", zh: "标准" };
  const tiers = [{ id: "standard", creditsPerUsd: "1", models: "*", name, description: name }];
  const price = { inputPerMTok: "1", outputPerMTok: "2" };
  const models = [{ id: "a", upstream: "lab", quality: 0.5, contextTokens: 8_000, price }];
  return parseConfig(JSON.stringify({ upstreams, models, tiers }), { fileName: "svc.json" });
}

Deno.test("parseConfig() accepts a field for the output limit on kinds that have two", async () => {
  const fieldOf = (kind: string, outputLimitField: string) => {
    const lab = { id: "lab", kind, baseUrl: "http://127.0.0.1:1/v1", apiKey: "k" };
    return parse([{ ...lab, outputLimitField }]);
  };
  for (const kind of ["openai", "openai-compatible", "azure"]) {
    const { content } = await fieldOf(kind, "max_completion_tokens");
    assertEquals(content.upstreams[0]?.outputLimitField, "max_completion_tokens");
  }
  for (const [kind, field] of [["anthropic", "max_tokens"], ["openai", "max_output"]] as const) {
    const error = await assertRejects(() => fieldOf(kind, field), ConfigError);
    assertMatch(error.message, /upstreams\.0\.outputLimitField: /);
  }
});
