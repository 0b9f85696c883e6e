import { assert, assertEquals, assertMatch } from "@std/assert";
import { createHash, createHmac, generateKeyPairSync } from "node:crypto";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { callOf, type RecordedRequest, recordedUpstream, refused } from "./upstream_fixture.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const ACCOUNT = JSON.stringify({ client_email: "gateway@lab.test", private_key: privateKey });
const PLACE = { project: "p", region: "europe-west1" };
const AWS = {
  accessKeyIdEnv: "LAB_ID",
  secretAccessKeyEnv: "LAB_SECRET",
  sessionTokenEnv: "LAB_TOKEN",
  region: "eu-central-1",
};

/** An upstream without a key of its own; tokens are given out in order. */
function create(config: Partial<UpstreamConfig>, options: {
  env?: Readonly<Record<string, string>>;
  status?: number;
  token?: () => Response;
} = {}) {
  let tokens = 0;
  const {
    env,
    status,
    token = () => Response.json({ access_token: `t${++tokens}`, expires_in: 60 }),
  } = options;
  return recordedUpstream({ kind: "google-vertex", apiKey: undefined, ...config }, {
    env,
    nowMs: Date.UTC(2026, 0, 1),
    readFile: (path) =>
      path === "/run/account.json" ? Promise.resolve(ACCOUNT) : Promise.reject(new Error("none")),
    answer: (url) => url.includes("oauth2") ? token() : refused(status),
  });
}

const GEMINI = { model: "gemini-3-pro-preview" };

const ROUTES: readonly (readonly [Partial<UpstreamConfig>, Readonly<Record<string, string>>])[] = [
  [{ apiKeyEnv: "LAB_ACCOUNT" }, { LAB_ACCOUNT: ACCOUNT }],
  [{ credentialsFileEnv: "LAB_FILE" }, { LAB_FILE: "/run/account.json" }],
];

for (const [config, env] of ROUTES) {
  Deno.test(`a service account by ${Object.keys(config)} calls Vertex with its token`, async () => {
    using made = create({ ...PLACE, ...config }, { env });
    await made.upstream.call(callOf({}, GEMINI));
    await made.upstream.call(callOf({}, GEMINI));
    const [token, ...calls] = made.requests;
    assertEquals(token?.url, "https://oauth2.googleapis.com/token");
    const url = "https://europe-west1-aiplatform.googleapis.com/v1beta1/projects/p/locations/" +
      "europe-west1/publishers/google/models/gemini-3-pro-preview:generateContent";
    assertEquals(calls.map((call) => call.url), [url, url]);
    for (const { headers } of calls) {
      assertEquals(headers.get("authorization"), "Bearer t1");
      assertEquals(headers.get("x-goog-api-key"), null);
    }
  });
}

Deno.test("a token that Vertex refuses is not used again", async () => {
  const config = { ...PLACE, credentialsFileEnv: "LAB_FILE" };
  using made = create(config, { env: { LAB_FILE: "/run/account.json" }, status: 401 });
  const answer = await made.upstream.call(callOf({}, GEMINI));
  assertEquals(answer.kind === "failure" && answer.outcome, "refused_credentials");
  await made.upstream.call(callOf({}, GEMINI));
  assertEquals(made.requests.map(({ headers }) => headers.get("authorization")), [
    null,
    "Bearer t1",
    null,
    "Bearer t2",
  ]);
});

Deno.test("without a token nothing is called: the operator's trouble, not the caller's", async () => {
  const config = { ...PLACE, credentialsFileEnv: "LAB_FILE" };
  const env = { LAB_FILE: "/run/account.json" };
  const token = () => Response.json({ error: "invalid_grant" }, { status: 400 });
  using denied = create(config, { env, token });
  const answer = await denied.upstream.call(callOf({}, GEMINI));
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "refused_credentials");
  assertEquals(answer.message, "The token endpoint answered 400: invalid_grant");
  assertEquals(denied.requests.length, 1);

  using lost = create(config, { env: { LAB_FILE: "/nowhere" } });
  const unread = await lost.upstream.call(callOf({}, GEMINI));
  assertEquals(unread.kind === "failure" && unread.outcome, "refused_credentials");

  using unset = create(config);
  const missing = await unset.upstream.call(callOf({}, GEMINI));
  assert(missing.kind === "failure");
  assertEquals(missing.message, 'Environment variable "LAB_FILE" is not set');

  using aborted = create(config, { env });
  const gone = await aborted.upstream.call(callOf({}, { ...GEMINI, signal: AbortSignal.abort() }));
  assertEquals(gone.kind === "failure" && gone.outcome, "cancelled");
});

Deno.test("a service account's models are those of Google's list", async () => {
  const config = { ...PLACE, credentialsFileEnv: "LAB_FILE" };
  const env = { LAB_FILE: "/run/account.json" };
  using made = create(config, { env, status: 403 });
  await made.upstream.models(new AbortController().signal).catch(() => {});
  const { headers, url } = made.requests[1] ?? {};
  assertEquals(
    url,
    "https://europe-west1-aiplatform.googleapis.com/v1beta1/publishers/google/models?pageSize=100",
  );
  assertEquals(headers?.get("authorization"), "Bearer t1");
  assertEquals(headers?.get("x-goog-user-project"), "p");
});

const KEYS = { LAB_ID: "AKIDEXAMPLE", LAB_SECRET: "wJalrXUtnFEMI", LAB_TOKEN: "session" };
const CLAUDE = "anthropic.claude-sonnet-4-5-20250929-v1:0";

/** The signature as Amazon computes it, of what was sent. */
function signatureOf({ body, headers, url }: RecordedRequest, secret: string): string {
  const [, scope = "", names = ""] =
    /Credential=[^/]+\/([^,]+), SignedHeaders=([^,]+),/.exec(headers.get("authorization") ?? "") ??
      [];
  const { host, pathname } = new URL(url);
  const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
  const canonical = [
    "POST",
    pathname.split("/").map(encodeURIComponent).join("/"),
    "",
    ...names.split(";").map((name) => `${name}:${name === "host" ? host : headers.get(name)}`),
    "",
    names,
    sha256(body),
  ].join("\n");
  const stringToSign = ["AWS4-HMAC-SHA256", headers.get("x-amz-date"), scope, sha256(canonical)]
    .join("\n");
  let key: string | Uint8Array = `AWS4${secret}`;
  for (const part of scope.split("/")) key = createHmac("sha256", key).update(part).digest();
  return createHmac("sha256", key).update(stringToSign).digest("hex");
}

Deno.test("Amazon's keys sign each request, and are not in it", async () => {
  using made = create({ kind: "amazon-bedrock", ...AWS }, { env: KEYS });
  await made.upstream.call(callOf({}, { model: CLAUDE }));
  const [request] = made.requests;
  assert(request !== undefined);
  const signature = request.headers.get("authorization") ?? "";
  assertMatch(
    signature,
    /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/bedrock\//,
  );
  assertMatch(signature, /SignedHeaders=[^,]*host[^,]*, Signature=[0-9a-f]{64}$/);
  assertEquals(request.headers.get("x-amz-security-token"), "session");
  assertEquals(/Signature=(\w+)$/.exec(signature)?.[1], signatureOf(request, KEYS.LAB_SECRET));
  assert(!JSON.stringify([request.body, ...request.headers]).includes(KEYS.LAB_SECRET));

  const { LAB_TOKEN: _, ...lasting } = KEYS;
  using without = create({ kind: "amazon-bedrock", ...AWS }, { env: lasting });
  await without.upstream.call(callOf({}, { model: CLAUDE }));
  assertEquals(without.requests[0]?.headers.get("x-amz-security-token"), null);
});

Deno.test("an Amazon key that lacks a part calls nothing", async () => {
  for (const [name, env] of [["LAB_ID", {}], ["LAB_SECRET", { LAB_ID: "x" }]] as const) {
    using made = create({ kind: "amazon-bedrock", ...AWS }, { env });
    const answer = await made.upstream.call(callOf({}, GEMINI));
    assert(answer.kind === "failure");
    assertEquals(answer.message, `Environment variable "${name}" is not set`);
    assertEquals(made.requests, []);
  }
});

Deno.test("thoughts and answer share the limit of a signed request too", async () => {
  const ask = async (limit: number, model = CLAUDE) => {
    using made = create({ kind: "amazon-bedrock", ...AWS }, { env: KEYS });
    const more = { model, outputLimit: limit };
    await made.upstream.call(callOf({ reasoning_effort: "high" }, more));
    assertEquals(made.requests.length, 1);
    const [request] = made.requests;
    assert(request !== undefined);
    const signed = request.headers.get("authorization") ?? "";
    assertEquals(/Signature=(\w+)$/.exec(signed)?.[1], signatureOf(request, KEYS.LAB_SECRET));
    const { additionalModelRequestFields, inferenceConfig } = JSON.parse(
      made.requests[0]?.body ?? "",
    );
    return { maxTokens: inferenceConfig.maxTokens, ...additionalModelRequestFields?.thinking };
  };
  const thinks = { type: "enabled", budget_tokens: 2_000 };
  assertEquals(await ask(4_000), { maxTokens: 4_000, ...thinks });
  // No room for thoughts, and a model that thinks by itself.
  assertEquals(await ask(1_500), { maxTokens: 1_500 });
  assertEquals((await ask(1_500, "anthropic.claude-opus-4-6-v1:0")).maxTokens, 1_500);
});
