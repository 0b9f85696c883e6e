import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { type CatalogContent, embedsOnly } from "../domain/catalog/catalog.ts";
import { freezePrice } from "../domain/ledger/pricing.ts";
import { describeTag } from "../domain/catalog/tag_names.ts";
import { DEFAULT_MODELS, DEFAULT_UPSTREAMS, defaultCatalog } from "./default_catalog.ts";
import { defaultTiers } from "./default_tiers.ts";
import { listPrice, PRICE_LIST } from "./list_price.ts";
import { parseConfig } from "./parse_config.ts";
import { priceSourceOf } from "./price_source.ts";

const NOW = Date.parse(PRICE_LIST.publishedAt);
const HAN = /\p{Script=Han}/u;
/** Steps of the scale that the module describes. */
const QUALITIES = [0.45, 0.6, 0.75, 0.85, 0.95];

function content(): Promise<CatalogContent> {
  return parseConfig(JSON.stringify(defaultCatalog()), { fileName: "default", nowMs: NOW })
    .then((read) => read.content);
}

Deno.test("the default catalog is a configuration file of some thirty models", async () => {
  const { models, upstreams, tiers } = await content();
  assert(models.length >= 28 && models.length <= 40, `${models.length} models`);
  assert(new Set(upstreams.map(({ provider }) => provider)).size >= 6);
  assertEquals(new Set(models.map(({ id }) => id)).size, models.length);
  assertEquals(new Set(models.map(({ upstream }) => upstream)).size, upstreams.length);
  assertEquals(tiers.map(({ id }) => id), ["basic", "standard", "premium"]);
  assertEquals(tiers, [...defaultTiers(models)]);
});

Deno.test("every default model states its longest output, and every compatible server the field for it", () => {
  for (const { id, ...model } of DEFAULT_MODELS) {
    assertEquals("maxOutputTokens" in model, model.sku !== "embedding", id);
  }
  for (const { id, kind, ...upstream } of DEFAULT_UPSTREAMS) {
    assertEquals("outputLimitField" in upstream, kind === "openai-compatible", id);
  }
});

Deno.test("the price list prices every default model, and marks none of them as deprecated", async () => {
  const { models, upstreams } = await content();
  for (const model of models) {
    const upstream = upstreams.find(({ id }) => id === model.upstream);
    const source = { ...priceSourceOf(upstream, NOW), embeds: embedsOnly(model) };
    const listed = await listPrice(model.upstreamModel, source);
    assert(listed !== undefined, model.id);
    assertEquals([listed.deprecated, model.price], [false, listed.price], model.id);
    assert(freezePrice(model.price, "1000", { version: 1 }), model.id);
    assertEquals(Number(model.price.outputPerMTok) > 0, !embedsOnly(model), model.id);
    assert(Number(model.price.inputPerMTok) > 0, model.id);
    const longest = embedsOnly(model) ? 0 : model.maxOutputTokens ?? Infinity;
    assert(longest <= model.contextTokens, model.id);
    const beyond = model.contextTokens > (listed.contextTokens ?? Infinity);
    assert(!beyond, `The price of ${model.id} rises before its context ends`);
  }
});

Deno.test("every default model is described in both languages, each with words of its own", () => {
  const seen = new Set<string>();
  for (const { id, description: { en, zh } } of DEFAULT_MODELS) {
    assertNotMatch(en, HAN, id);
    assertMatch(zh, HAN, id);
    assert(en.length >= 30 && zh.length >= 12, id);
    seen.add(en).add(zh);
  }
  assertEquals(seen.size, 2 * DEFAULT_MODELS.length);
});

Deno.test("default models carry known tags and endpoints, and qualities of the scale", () => {
  for (const model of DEFAULT_MODELS) {
    for (const tag of [...model.featureTags, ...model.industryPacks, model.sku]) {
      assert(describeTag(tag, "en").description !== "", `${model.id} has the tag "${tag}"`);
      assertMatch(describeTag(tag, "zh").name, HAN);
    }
    assert(QUALITIES.includes(model.quality), model.id);
    assert(model.industryPacks.length > 0, model.id);
    const draws = model.sku === "image";
    const embeds = model.sku === "embedding";
    const endpoints = draws
      ? ["images.generations", "images.edits"]
      : embeds
      ? ["embeddings"]
      : ["chat", "responses"];
    assertEquals(model.endpoints, endpoints, model.id);
    assertEquals(model.industryPacks.includes("media"), draws, model.id);
    assertEquals(model.featureTags.includes("tools"), !draws && !embeds, model.id);
  }
});

Deno.test("a pack leaves out what cannot do its work", () => {
  for (const { id, industryPacks, quality } of DEFAULT_MODELS) {
    const heavy = industryPacks.includes("finance") || industryPacks.includes("legal");
    if (heavy) assert(quality >= 0.75, id);
    if (industryPacks.includes("support")) assert(quality <= 0.75, id);
  }
});

Deno.test("defaultCatalog() gives the part of the upstreams that are wanted, with its tiers", () => {
  const whole = defaultCatalog();
  assertEquals(whole.models.length, DEFAULT_MODELS.length);
  const part = defaultCatalog(({ id }) => id === "cohere");
  assertEquals(part.models.map(({ upstream }) => upstream), ["cohere", "cohere", "cohere"]);
  assertEquals(part.tiers[0]?.models, ["cohere/command-r7b-12-2024"]);
});
