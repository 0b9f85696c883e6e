import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { ConfigError } from "./config_error.ts";
import { parseConfig } from "./parse_config.ts";

const LAB = { id: "lab", kind: "openai-compatible", baseUrl: "http://127.0.0.1:1/v1" };
const PRICE = { inputPerMTok: "1", cacheWriteInputPerMTok: "1.25", outputPerMTok: "2" };

async function parse(upstream: unknown) {
  const names = { en: "Standard", zh: "标准" };
  const file = {
    upstreams: [upstream],
    models: [{ id: "m", upstream: "lab", quality: 0.5, contextTokens: 9_000, price: PRICE }],
    tiers: [{ id: "standard", creditsPerUsd: "1", models: "*", name: names, description: names }],
  };
  return await parseConfig(JSON.stringify(file), { fileName: "svc.json" });
}

Deno.test("parseConfig() keeps the names of a key's parts, and the price of writing a cache", async () => {
  const parts = { accessKeyIdEnv: "A", secretAccessKeyEnv: "S", sessionTokenEnv: "T" };
  const { content } = await parse({ id: "lab", kind: "amazon-bedrock", ...parts, region: "r" });
  const { accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv } = content.upstreams[0] ?? {};
  assertEquals({ accessKeyIdEnv, secretAccessKeyEnv, sessionTokenEnv }, parts);
  assertEquals(content.models[0]?.price.cacheWriteInputPerMTok, "1.25");
});

Deno.test("parseConfig() refuses a key in the place of its variable's name, and repeats it nowhere", async () => {
  const keys = [
    "gsk_abcdefghijkl0123456789",
    "hf_abcdefghijklmnop1234",
    "svc_live_abcdef0123456789",
    "AIzaSyA1234567890abcdefghijk",
    "AKIAIOSFODNN7EXAMPLE",
    "abcdef0123456789abcdef0123456789",
  ];
  for (const key of keys) {
    const { problems, message } = await assertRejects(
      () => parse({ ...LAB, apiKeyEnv: key }),
      ConfigError,
    );
    const what = "Write the name of an environment variable, not the key itself";
    assertEquals([problems, message.includes(key)], [[`upstreams.0.apiKeyEnv: ${what}`], false]);
  }
  for (
    const name of [
      "OPENAI_API_KEY",
      "svc_key",
      "HF_TOKEN_2",
      "sk_1",
      "KEY_FOR_TEAM_NUMBER_0123456789",
    ]
  ) {
    assertEquals((await parse({ ...LAB, apiKeyEnv: name })).content.upstreams[0]?.apiKeyEnv, name);
  }
});

const PROBLEMS: readonly (readonly [string, { readonly upstreams: readonly unknown[] }, RegExp])[] =
  [
    [
      "half of an Amazon key",
      { upstreams: [{ id: "lab", kind: "amazon-bedrock", accessKeyIdEnv: "A", region: "r" }] },
      /^upstreams\.0\.secretAccessKeyEnv: Name both/,
    ],
    [
      "an Amazon token without its key",
      { upstreams: [{ id: "lab", kind: "amazon-bedrock", sessionTokenEnv: "T", region: "r" }] },
      /^upstreams\.0\.sessionTokenEnv: Name accessKeyIdEnv/,
    ],
    [
      "signatures for no region",
      {
        upstreams: [{
          id: "lab",
          kind: "amazon-bedrock",
          accessKeyIdEnv: "A",
          secretAccessKeyEnv: "S",
          baseUrl: "http://127.0.0.1:9",
        }],
      },
      /^upstreams\.0\.region: .* signatures are for a region$/,
    ],
    [
      "a signature for another kind",
      { upstreams: [{ ...LAB, accessKeyIdEnv: "A", secretAccessKeyEnv: "S" }] },
      /^upstreams\.0\.accessKeyIdEnv: Only/,
    ],
    [
      "a service account for another kind",
      { upstreams: [{ ...LAB, credentialsFileEnv: "F" }] },
      /^upstreams\.0\.credentialsFileEnv: Only/,
    ],
    [
      "a service account without a place",
      { upstreams: [{ id: "lab", kind: "google-vertex", credentialsFileEnv: "F" }] },
      /^upstreams\.0\.region: .* needs both, region and project$/,
    ],
    [
      "two kinds of credentials",
      {
        upstreams: [{
          id: "lab",
          kind: "google-vertex",
          credentialsFileEnv: "F",
          apiKeyEnv: "K",
          region: "europe-west1",
          project: "p",
        }],
      },
      /^upstreams\.0\.apiKeyEnv: Give one kind of credentials$/,
    ],
  ];

for (const [name, { upstreams }, problem] of PROBLEMS) {
  Deno.test(`parseConfig() refuses ${name}`, async () => {
    const error = await assertRejects(() => parse(upstreams[0]), ConfigError);
    assertMatch(error.problems.join("\n"), problem);
  });
}
