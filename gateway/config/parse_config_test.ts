import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { freezePrice } from "../domain/ledger/pricing.ts";
import { ConfigError } from "./config_error.ts";
import { parseConfig } from "./parse_config.ts";

const NOW = Date.UTC(2026, 0, 15);
const PRICE = { inputPerMTok: "1", outputPerMTok: "2" };
const TEXT = { en: "Standard", zh: "标准" };

type Json = Record<string, unknown>;

const MODEL: Json = {
  id: "a",
  upstream: "lab",
  quality: 0.5,
  contextTokens: 8_000,
  price: PRICE,
};
const TIER: Json = {
  id: "standard",
  creditsPerUsd: "1000",
  models: "*",
  name: TEXT,
  description: TEXT,
};
const LAB: Json = { id: "lab", kind: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" };

function fileWith(changes: Json = {}): Json {
  return { upstreams: [LAB], models: [MODEL], tiers: [TIER], ...changes };
}

function parse(file: unknown) {
  const text = typeof file === "string" ? file : JSON.stringify(file);
  return parseConfig(text, { fileName: "svc.json", nowMs: NOW });
}

async function problemsOf(file: unknown): Promise<readonly string[]> {
  const error = await assertRejects(() => parse(file), ConfigError);
  assert(error.message.startsWith("Cannot use svc.json: "));
  return error.problems;
}

Deno.test("parseConfig() fills in what was left out", async () => {
  const { content, requestLog } = await parse(fileWith());
  assertEquals([requestLog, content.search], [undefined, undefined]);
  assertEquals(content.auto, undefined);
  assertEquals(content.upstreams, [{
    id: "lab",
    kind: "openai-compatible",
    provider: "lab",
    baseUrl: "http://127.0.0.1:1/v1",
    maxInFlight: 200,
    onDisconnect: "cancel",
    timeouts: { connectMs: 5_000, firstByteMs: 300_000, idleMs: 60_000 },
  }]);
  assertEquals(content.models, [{
    id: "a",
    name: "a",
    upstream: "lab",
    upstreamModel: "a",
    endpoints: ["chat", "responses"],
    quality: 0.5,
    contextTokens: 8_000,
    featureTags: [],
    industryPacks: [],
    sku: "text",
    price: { ...PRICE, currency: "USD" },
    description: { en: "a", zh: "a" },
    disabled: false,
  }]);
  assertEquals(content.tiers[0]?.orchestration, "auto");
});

Deno.test("parseConfig() reads a file with a byte order mark", async () => {
  const { content } = await parse(`\uFEFF${JSON.stringify(fileWith())}`);
  assertEquals(content.models.map(({ id }) => id), ["a"]);
});

Deno.test("parseConfig() keeps what was written", async () => {
  const { content, requestLog, responses } = await parse(fileWith({
    upstreams: [{ ...LAB, apiKeyEnv: "LAB_KEY", provider: "house", timeouts: { idleMs: 5 } }],
    models: [{ ...MODEL, id: "svc/x.1", disabled: true, maxOutputTokens: 100, description: TEXT }],
    tiers: [{ ...TIER, models: ["svc/x.1"], orchestration: "off" }],
    auto: {
      dial: "best",
      exploration: 0.01,
      audits: { share: 0.05, dailyBudget: "9", wallet: "w" },
    },
    requestLog: { keepDays: 7 },
    responses: { keepMegabytes: 64 },
    search: { kind: "searxng", baseUrl: "http://127.0.0.1:8080", pricePerSearch: "0.001" },
  }));
  assertEquals(content.upstreams[0]?.timeouts.idleMs, 5);
  assertEquals(content.upstreams[0]?.provider, "house");
  assertEquals([content.models[0]?.maxOutputTokens, content.models[0]?.disabled], [100, true]);
  assertEquals(content.tiers[0]?.models, ["svc/x.1"]);
  assertEquals(content.auto, {
    dial: 1,
    exploration: 0.01,
    audits: { share: 0.05, dailyBudget: "9", wallet: "w" },
  });
  assertEquals(requestLog, { keepDays: 7, keepRequests: 1_000_000 });
  assertEquals(responses, { keepDays: 30, keepMegabytes: 64 });
  assertEquals(content.search, {
    kind: "searxng",
    baseUrl: "http://127.0.0.1:8080",
    pricePerSearch: "0.001",
  });
});

Deno.test("parseConfig() knows addresses and prices of search providers", async () => {
  const searchOf = async (search: Json) => (await parse(fileWith({ search }))).content.search;
  assertEquals(await searchOf({ kind: "brave", apiKeyEnv: "BRAVE_API_KEY" }), {
    kind: "brave",
    apiKeyEnv: "BRAVE_API_KEY",
    baseUrl: "https://api.search.brave.com",
    pricePerSearch: "0.005",
  });
  assertEquals(await searchOf({ kind: "tavily", apiKey: "k", baseUrl: "http://127.0.0.1:9" }), {
    kind: "tavily",
    apiKey: "k",
    baseUrl: "http://127.0.0.1:9",
    pricePerSearch: "0.008",
  });
  assertEquals(await searchOf({ kind: "offline" }), { kind: "offline", pricePerSearch: "0" });
  const searxng = await searchOf({ kind: "searxng", baseUrl: "http://127.0.0.1:8080" });
  assertEquals(searxng?.pricePerSearch, "0");
});

Deno.test("parseConfig() takes embeddings of an upstream that speaks OpenAI's format", async () => {
  const embeddings = { upstream: "lab", model: "nomic-embed-text" };
  for (const vectorStores of [{ embeddings: { ...embeddings, dimensions: 256 } }, {}]) {
    assertEquals((await parse(fileWith({ vectorStores }))).content.vectorStores, vectorStores);
  }
  assertEquals((await parse(fileWith({}))).content.vectorStores, undefined);
});

Deno.test("parseConfig() takes price and context from the price list", async () => {
  const openai = { id: "openai", kind: "openai", apiKeyEnv: "OPENAI_API_KEY" };
  const { content } = await parse(fileWith({
    upstreams: [openai, { ...LAB, id: "claude", baseUrl: "https://api.anthropic.com/v1" }],
    models: [
      { id: "mini", upstream: "openai", upstreamModel: "gpt-5-mini", quality: 0.6 },
      { id: "sonnet", upstream: "claude", upstreamModel: "claude-sonnet-4-5", quality: 0.9 },
      { id: "own", upstream: "openai", upstreamModel: "gpt-5-mini", quality: 0.6, price: PRICE },
    ],
  }));
  const [mini, sonnet, own] = content.models;
  assertEquals(content.upstreams[0]?.baseUrl, "https://api.openai.com/v1");
  assertEquals([mini?.contextTokens, mini?.maxOutputTokens], [400_000, undefined]);
  assertEquals(mini?.price.inputPerMTok, "0.25");
  // Longer input costs more there, so the context ends where the price rises.
  assertEquals([sonnet?.contextTokens, sonnet?.price.outputPerMTok], [200_000, "15"]);
  assertEquals([own?.contextTokens, own?.price.inputPerMTok], [400_000, "1"]);
  for (const model of content.models) assert(freezePrice(model.price, "1000", { version: 1 }));
});

Deno.test("parseConfig() takes every kind of provider, with its settings and its list prices", async () => {
  const listed = (id: string, upstream: string) => ({ id, upstream, quality: 0.5 });
  const { content } = await parse(fileWith({
    upstreams: [
      { id: "claude", kind: "anthropic", apiKeyEnv: "K" },
      { id: "gemini", kind: "google", apiKey: "k" },
      { id: "vertex", kind: "google-vertex", apiKey: "k", region: "europe-west1", project: "p" },
      { id: "bedrock", kind: "amazon-bedrock", apiKey: "k", region: "eu-central-1" },
      {
        id: "signed",
        kind: "amazon-bedrock",
        accessKeyIdEnv: "A",
        secretAccessKeyEnv: "S",
        sessionTokenEnv: "T",
        region: "eu-central-1",
      },
      {
        id: "account",
        kind: "google-vertex",
        credentialsFileEnv: "F",
        region: "europe-west1",
        project: "p",
      },
      { id: "azure", kind: "azure", apiKey: "k", resourceName: "own", apiVersion: "2024-10-21" },
      { id: "mistral", kind: "mistral", apiKey: "k" },
      { id: "cohere", kind: "cohere", apiKey: "k" },
    ],
    models: [listed("claude-sonnet-4-5", "claude"), listed("gemini-2.5-flash", "gemini")],
    tiers: [{ ...TIER, models: "*" }],
  }));
  assertEquals(content.upstreams[6]?.resourceName, "own");
  assertEquals(content.upstreams[2]?.project, "p");
  assertEquals(content.models.map((one) => one.price.outputPerMTok), ["15", "2.5"]);
});

Deno.test("parseConfig() of a model that draws needs no context", async () => {
  const painter = {
    id: "p",
    upstream: "lab",
    endpoints: ["images.generations"],
    quality: 0.5,
    price: { inputPerMTok: "0", outputPerMTok: "0", perImage: "0.04" },
  };
  const { content } = await parse(fileWith({ models: [painter] }));
  assertEquals(content.models[0]?.sku, "image");
});

const PROBLEMS: readonly (readonly [string, Json, RegExp])[] = [
  ["a misspelt name", { modles: [] }, /^Unknown name "modles", the nearest valid one is "models"$/],
  ["a misspelt name within", { models: [{ ...MODEL, qualty: 1 }] }, /^models\.0: .*"quality"$/],
  ["no tiers", { tiers: [] }, /^tiers: Name at least one tier$/],
  [
    "a provider without a key",
    { upstreams: [{ id: "lab", kind: "anthropic" }] },
    /^upstreams\.0\.apiKeyEnv: An upstream of kind "anthropic" needs a key/,
  ],
  [
    "an Azure account without its name",
    { upstreams: [{ id: "lab", kind: "azure", apiKey: "k" }] },
    /^upstreams\.0\.resourceName: .* needs one, or baseUrl$/,
  ],
  [
    "Bedrock without a region",
    { upstreams: [{ id: "lab", kind: "amazon-bedrock", apiKeyEnv: "K" }] },
    /^upstreams\.0\.region: .* needs one, or baseUrl$/,
  ],
  [
    "Vertex with half an address",
    { upstreams: [{ id: "lab", kind: "google-vertex", apiKeyEnv: "K", project: "p" }] },
    /^upstreams\.0\.region: .* needs both, region and project$/,
  ],
  [
    "a region that is another host",
    { upstreams: [{ id: "lab", kind: "amazon-bedrock", apiKeyEnv: "K", region: "x.evil/" }] },
    /^upstreams\.0\.region: Write 1 to 63/,
  ],
  [
    "images of a provider that draws none",
    {
      upstreams: [{ id: "lab", kind: "mistral", apiKeyEnv: "K" }],
      models: [{ ...MODEL, endpoints: ["chat", "images.edits"] }],
    },
    /^models\.0\.endpoints\.1: An upstream of kind "mistral" draws no images$/,
  ],
  [
    "an unknown kind",
    { upstreams: [{ ...LAB, kind: "x" }] },
    /^upstreams\.0\.kind: Kind is one of/,
  ],
  [
    "no address",
    { upstreams: [{ id: "lab", kind: "openai-compatible" }] },
    /^upstreams\.0\.baseUrl: /,
  ],
  [
    "a password in an address",
    { upstreams: [{ ...LAB, baseUrl: "http://u:p@h/" }] },
    /^upstreams\.0\.baseUrl: /,
  ],
  [
    "another search",
    { search: { kind: "bing" } },
    /^search\.kind: Kind is one of "searxng", "brave"/,
  ],
  [
    "embeddings of no upstream",
    { vectorStores: { embeddings: { upstream: "lob", model: "m" } } },
    /^vectorStores\.embeddings\.upstream: There is no upstream "lob"$/,
  ],
  [
    "embeddings of another kind",
    {
      upstreams: [LAB, { id: "sim", kind: "simulator" }],
      vectorStores: { embeddings: { upstream: "sim", model: "m" } },
    },
    /^vectorStores\.embeddings\.upstream: Upstream "sim" is of kind "simulator"; embeddings need/,
  ],
  [
    "too many dimensions",
    { vectorStores: { embeddings: { upstream: "lab", model: "m", dimensions: 5_000 } } },
    /^vectorStores\.embeddings\.dimensions: /,
  ],
  [
    "an unknown name in embeddings",
    { vectorStores: { embeddings: { upstream: "lab", model: "m", dimension: 1 } } },
    /^vectorStores\.embeddings: Unknown name "dimension", the nearest valid one is "dimensions"$/,
  ],
  ["a search without an address", { search: { kind: "searxng" } }, /^search\.baseUrl: /],
  [
    "a search without a key",
    { search: { kind: "tavily" } },
    /^search\.apiKeyEnv: .*"tavily" needs/,
  ],
  [
    "a search with two keys",
    { search: { kind: "brave", apiKey: "k", apiKeyEnv: "K" } },
    /^search\.apiKey: Give either/,
  ],
  [
    "a price that is none",
    { search: { kind: "offline", pricePerSearch: "1e-3" } },
    /^search\.pricePerSearch: Write dollars/,
  ],
  [
    "a key where none is taken",
    { search: { kind: "offline", apikey: "k" } },
    /^search: Unknown name "apikey"/,
  ],
  ["another scheme", { search: { kind: "searxng", baseUrl: "file:///etc" } }, /^search\.baseUrl: /],
  [
    "no address at all",
    { upstreams: [{ ...LAB, baseUrl: "nowhere" }] },
    /^upstreams\.0\.baseUrl: /,
  ],
  ["two keys", { upstreams: [{ ...LAB, apiKey: "k", apiKeyEnv: "K" }] }, /^upstreams\.0\.apiKey: /],
  [
    "a variable that is none",
    { upstreams: [{ ...LAB, apiKeyEnv: "a-b" }] },
    /^upstreams\.0\.apiKeyEnv: /,
  ],
  ["an id twice", { models: [MODEL, MODEL] }, /^models\.1\.id: "a" is there twice$/],
  ["a bad id", { models: [{ ...MODEL, id: "a b" }] }, /^models\.0\.id: An id is/],
  [
    "an unknown upstream",
    { models: [{ ...MODEL, upstream: "gone" }] },
    /^models\.0\.upstream: There is no upstream "gone"$/,
  ],
  [
    "an unknown model",
    { tiers: [{ ...TIER, models: ["a", "b"] }] },
    /^tiers\.0\.models\.1: There is no model "b"$/,
  ],
  [
    "models of another form",
    { tiers: [{ ...TIER, models: "all" }] },
    /^tiers\.0\.models: Write "\*"/,
  ],
  [
    "a price as number",
    { models: [{ ...MODEL, price: { ...PRICE, inputPerMTok: 1 } }] },
    /^models\.0\.price\.inputPerMTok: /,
  ],
  [
    "too many places",
    { models: [{ ...MODEL, price: { ...PRICE, inputPerMTok: "0.0000000001" } }] },
    /at most 9 places/,
  ],
  ["a rate of nothing", { tiers: [{ ...TIER, creditsPerUsd: "0" }] }, /^tiers\.0\.creditsPerUsd: /],
  [
    "another currency",
    { models: [{ ...MODEL, price: { ...PRICE, currency: "EUR" } }] },
    /^models\.0\.price\.currency: /,
  ],
  ["too good a quality", { models: [{ ...MODEL, quality: 1.5 }] }, /^models\.0\.quality: /],
  [
    "output beyond the context",
    { models: [{ ...MODEL, maxOutputTokens: 8_001 }] },
    /^models\.0\.maxOutputTokens: 8001 /,
  ],
  [
    "a price that no list has",
    { models: [{ ...MODEL, price: undefined }] },
    /^models\.0\.price: .*"a"; write it down$/,
  ],
  [
    "a context that no list has",
    { models: [{ ...MODEL, contextTokens: undefined }] },
    /^models\.0\.contextTokens: /,
  ],
];

for (const [name, changes, expected] of PROBLEMS) {
  Deno.test(`parseConfig() refuses ${name}`, async () => {
    const problems = await problemsOf(fileWith(changes));
    assertEquals(problems.length, 1, problems.join("\n"));
    assertMatch(problems[0] ?? "", expected);
  });
}

Deno.test("parseConfig() lists every problem", async () => {
  const problems = await problemsOf(fileWith({
    upstreams: [{ ...LAB, maxInFlight: 0 }],
    models: [],
    tiers: [{ ...TIER, name: { en: "x" } }],
  }));
  assertEquals(problems.length, 3);
  const [first, ...missing] = await problemsOf('{"upstream": [], "models": [], "tiers": []}');
  assertMatch(first ?? "", /^Unknown name "upstream"/);
  assertEquals(missing[0], "upstreams: It is missing");
});

Deno.test("parseConfig() states the place of a JSON error without quoting the text", async () => {
  for (
    const text of ['{\n  "apiKey": "sk-secret" "b"\n}', '{\n"apiKey": "sk-secret"', "", "sk-secret"]
  ) {
    const [problem = "", ...more] = await problemsOf(text);
    assertEquals(more, []);
    assertMatch(problem, /^It is not JSON at line \d, column \d+$/);
  }
  assertMatch((await problemsOf("[]"))[0] ?? "", /expected object/);
});
