import { assert, assertEquals, assertMatch } from "@std/assert";
import { freezePrice } from "../domain/ledger/pricing.ts";
import { route } from "../domain/routing/route.ts";
import { featuresWith, inputWith, walletWith } from "../domain/routing/route_fixture_test.ts";
import { DETECTED_VARIABLES, detectUpstreams } from "./detect_upstreams.ts";
import { parseConfig } from "./parse_config.ts";

const NOW = Date.UTC(2026, 0, 15);

Deno.test("detectUpstreams() falls back to the simulator and states it", async () => {
  const { content, sentence } = await detectUpstreams({ OPENAI_API_KEY: "" });
  assertMatch(sentence, /^No provider key was found, so the embedded simulator answers: /);
  assertEquals(content.upstreams.map((one) => one.kind), ["simulator"]);
  assertEquals(content.models.map((one) => one.id), [
    "svc/sim-small",
    "svc/sim-vision",
    "svc/sim-large",
    "svc/sim-image",
    "svc/sim-embed",
  ]);
  const catalog = { ...content, version: 1, updatedAtMs: 0 };
  const best = (difficulty: number, needs: readonly string[] = []) => {
    const features = featuresWith({ difficulty, needs });
    const wallet = walletWith({ tier: "standard" });
    const plan = route(inputWith({ catalog, features, wallet }));
    return plan.ok ? plan.candidates[0]?.model.id : plan.message;
  };
  assertEquals([best(0.05), best(0.15), best(0.9)], [
    "svc/sim-small",
    "svc/sim-vision",
    "svc/sim-large",
  ]);
  assertEquals(best(0, ["vision"]), "svc/sim-vision");
});

Deno.test("detectUpstreams() finds every provider, with prices that can be frozen", async () => {
  const env = Object.fromEntries(DETECTED_VARIABLES.map((name) => [name, "127.0.0.1"]));
  const { content, sentence } = await detectUpstreams(env, { nowMs: NOW });
  assertEquals(content.upstreams.length, DETECTED_VARIABLES.length);
  assertMatch(sentence, /^Upstreams openai, .* found by OPENAI_API_KEY, .*OLLAMA_HOST$/);
  assertEquals(content.tiers.map((tier) => tier.id), ["basic", "standard", "premium"]);
  assertEquals(content.tiers[1]?.models, "*");
  for (const model of content.models) {
    assert(freezePrice(model.price, "1000", { version: 1 }), model.id);
    const embeds = model.sku === "embedding";
    const longest = embeds ? 0 : model.maxOutputTokens ?? Infinity;
    assert(longest <= model.contextTokens, model.id);
    const isText = model.sku !== "image" && !embeds;
    assertEquals(model.endpoints.includes("embeddings"), embeds, model.id);
    assertEquals(model.endpoints.includes("responses"), isText, model.id);
    assertEquals(model.endpoints.includes("chat"), isText, model.id);
  }
  assert(!JSON.stringify(content).includes(`"apiKey":"127.0.0.1"`));
});

Deno.test("detectUpstreams() leaves out the models of providers without a key", async () => {
  const { content } = await detectUpstreams({ MISTRAL_API_KEY: "x", COHERE_API_KEY: "" });
  assertEquals(new Set(content.models.map(({ upstream }) => upstream)), new Set(["mistral"]));
  assertEquals(content.tiers[0]?.models, [
    "mistral/ministral-8b-2512",
    "mistral/mistral-small-2603",
  ]);
});

Deno.test("detectUpstreams() makes what a configuration file could say", async () => {
  for (const env of [{}, { GEMINI_API_KEY: "x", OLLAMA_HOST: "box:9000" }]) {
    const { content } = await detectUpstreams(env, { nowMs: NOW });
    const read = await parseConfig(JSON.stringify(content), { fileName: "x", nowMs: NOW });
    assertEquals(JSON.parse(JSON.stringify(read.content)), JSON.parse(JSON.stringify(content)));
  }
});

const HOSTS: Readonly<Record<string, string | undefined>> = {
  "127.0.0.1": "http://127.0.0.1:11434/v1",
  "0.0.0.0:9000": "http://127.0.0.1:9000/v1",
  "box": "http://box:11434/v1",
  "https://box.example": "https://box.example/v1",
  "http://box:80": "http://box/v1",
  "http://u:p@box": undefined,
  "http://": undefined,
};

for (const [host, expected] of Object.entries(HOSTS)) {
  Deno.test(`detectUpstreams() reads OLLAMA_HOST "${host}"`, async () => {
    const { content } = await detectUpstreams({ OLLAMA_HOST: host });
    assertEquals(content.upstreams[0]?.baseUrl, expected);
    assertEquals(content.upstreams[0]?.kind, expected ? "openai-compatible" : "simulator");
  });
}
