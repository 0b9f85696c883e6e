import { assertEquals, assertRejects } from "@std/assert";
import { ConfigError } from "./config_error.ts";
import { parseConfig } from "./parse_config.ts";

/** Returns the places of a file's mistakes, in order. */
async function placesOf(file: unknown): Promise<string[]> {
  const error = await assertRejects(
    () => parseConfig(JSON.stringify(file), { fileName: "svc.json" }),
    ConfigError,
  );
  return error.problems.map((problem) => problem.replace(/:.*$/s, "")).toSorted();
}

const TEXT = { en: "x", zh: "x" };
const TIER = { id: "standard", creditsPerUsd: "1", models: "*", name: TEXT, description: TEXT };
const MODEL = { id: "a", upstream: "lab", quality: 0.5 };
const LAB = { id: "lab", kind: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" };

Deno.test("mistakes of one part hide neither those of others nor what parts say of each other", async () => {
  const file = {
    upstreams: [{ ...LAB, colour: 1 }, { id: "bare", kind: "openai-compatible" }, LAB],
    models: [
      { ...MODEL, upstream: "nowhere", quality: 7 },
      { ...MODEL, upstream: "bare" },
      { ...MODEL, id: "c", upstream: "nowhere" },
    ],
    tiers: [{ ...TIER, models: ["ghost", "a"], name: undefined }],
    search: { kind: "brave" },
    vectorStores: { embeddings: { upstream: "nowhere", model: "m", dimensions: 0 } },
    limits: { queueMs: -1 },
  };
  assertEquals(await placesOf(file), [
    "limits.queueMs",
    "models.0.quality",
    "models.0.upstream",
    "models.1.contextTokens",
    "models.1.id",
    "models.1.price",
    "models.2.upstream",
    "search.apiKeyEnv",
    "tiers.0.models.0",
    "tiers.0.name",
    "upstreams.0",
    "upstreams.1.baseUrl",
    "upstreams.2.id",
    "vectorStores.embeddings.dimensions",
    "vectorStores.embeddings.upstream",
  ]);
});

Deno.test("names inside an unreadable part are not reported as unknown", async () => {
  const nameless = { ...LAB, id: undefined };
  const file = { upstreams: [nameless], models: [MODEL], tiers: [TIER] };
  assertEquals(await placesOf(file), ["upstreams.0.id"]);
  assertEquals(await placesOf({ ...file, upstreams: "lab" }), ["upstreams"]);
  assertEquals(await placesOf({ ...file, upstreams: [{ ...LAB, kind: "lab" }] }), [
    "upstreams.0.kind",
  ]);
});
