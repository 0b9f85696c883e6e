import { assert, assertEquals, assertRejects } from "@std/assert";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { AccessError } from "./credentials.ts";
import { GoogleTokens } from "./google_tokens.ts";

const { privateKey, publicKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
const ACCOUNT = {
  type: "service_account",
  client_email: "gateway@lab.test",
  private_key: privateKey,
  private_key_id: "key-1",
  token_uri: "https://token.test/token",
};
const NEVER = new AbortController().signal;

/** A token endpoint that is asked with a clock under control. */
class Endpoint {
  readonly requests: { url: string; form: URLSearchParams }[] = [];
  nowMs = 0;
  account: () => Promise<string> = () => Promise.resolve(JSON.stringify(ACCOUNT));
  answer: () => Response | Promise<Response> = () => this.token();
  readonly tokens = new GoogleTokens({
    clock: { nowMs: () => 1_700_000_000_000 + this.nowMs, monotonicMs: () => this.nowMs },
    dial: undefined,
    readAccount: () => this.account(),
    timeouts: { connectMs: 5_000, firstByteMs: 300_000, idleMs: 60_000 },
    fetch: async (input, init) => {
      this.requests.push({ url: String(input), form: new URLSearchParams(String(init?.body)) });
      init?.signal?.throwIfAborted();
      return await this.answer();
    },
  });

  token(): Response {
    return Response.json({ access_token: `ya29.${this.requests.length}`, expires_in: 3_600 });
  }

  [Symbol.dispose](): void {
    this.tokens.close();
  }
}

Deno.test("a token is asked for with an assertion that the account has signed", async () => {
  using endpoint = new Endpoint();
  assertEquals(await endpoint.tokens.get(NEVER), "ya29.1");
  const [request] = endpoint.requests;
  assert(request !== undefined);
  assertEquals(request.url, ACCOUNT.token_uri);
  assertEquals(request.form.get("grant_type"), "urn:ietf:params:oauth:grant-type:jwt-bearer");
  const [head = "", claims = "", signature = ""] = (request.form.get("assertion") ?? "").split(".");
  const read = (part: string) => Uint8Array.fromBase64(part, { alphabet: "base64url" });
  const json = (part: string) => JSON.parse(new TextDecoder().decode(read(part)));
  assertEquals(json(head), { alg: "RS256", typ: "JWT", kid: "key-1" });
  assertEquals(json(claims), {
    iss: "gateway@lab.test",
    scope: "https://www.googleapis.com/auth/cloud-platform",
    aud: ACCOUNT.token_uri,
    iat: 1_700_000_000,
    exp: 1_700_003_600,
  });
  const signed = new TextEncoder().encode(`${head}.${claims}`);
  assert(verify("RSA-SHA256", signed, createPublicKey(publicKey), read(signature)));
});

Deno.test("one token serves all requests until shortly before its expiry", async () => {
  using endpoint = new Endpoint();
  const first = await Promise.all([1, 2, 3].map(() => endpoint.tokens.get(NEVER)));
  assertEquals(first, ["ya29.1", "ya29.1", "ya29.1"]);
  endpoint.nowMs = 3_299_999;
  assertEquals(await endpoint.tokens.get(NEVER), "ya29.1");
  endpoint.nowMs = 3_300_000;
  assertEquals(await endpoint.tokens.get(NEVER), "ya29.2");
  endpoint.tokens.forget("ya29.1");
  assertEquals(await endpoint.tokens.get(NEVER), "ya29.2");
  endpoint.tokens.forget("ya29.2");
  assertEquals(await endpoint.tokens.get(NEVER), "ya29.3");
});

Deno.test("while the endpoint fails the old token is used until its expiry, and none afterwards", async () => {
  using endpoint = new Endpoint();
  await endpoint.tokens.get(NEVER);
  const refusal = { error: "invalid_grant", error_description: "Invalid JWT: bad signature" };
  endpoint.answer = () => Response.json(refusal, { status: 400 });
  endpoint.nowMs = 3_500_000;
  assertEquals(await endpoint.tokens.get(NEVER), "ya29.1");
  endpoint.nowMs = 3_600_000;
  const message = "The token endpoint answered 400: Invalid JWT: bad signature";
  await assertRejects(() => endpoint.tokens.get(NEVER), AccessError, message);
  endpoint.answer = () => endpoint.token();
  assertEquals(await endpoint.tokens.get(NEVER), "ya29.4");
});

Deno.test("an aborted caller does not take the token from those who wait", async () => {
  using endpoint = new Endpoint();
  const answered = Promise.withResolvers<Response>();
  endpoint.answer = () => answered.promise;
  const leaving = new AbortController();
  const aborted = endpoint.tokens.get(leaving.signal);
  const stayed = endpoint.tokens.get(NEVER);
  leaving.abort("left");
  assertEquals(await aborted.catch((reason) => reason), "left");
  assertEquals(await endpoint.tokens.get(AbortSignal.abort("gone")).catch((why) => why), "gone");
  answered.resolve(endpoint.token());
  assertEquals(await stayed, "ya29.1");
  assertEquals(endpoint.requests.length, 1);
});

Deno.test("no token is to be had, and why", async () => {
  using endpoint = new Endpoint();
  const fails = (why: string) => assertRejects(() => endpoint.tokens.get(NEVER), AccessError, why);
  const say = (body: unknown) => endpoint.answer = () => Response.json(body);
  const account = (change: unknown) => endpoint.account = () => Promise.resolve(`${change}`);
  say({ access_token: "", expires_in: 3_600 });
  await fails("holds no token");
  say({ access_token: "x" });
  await fails("holds no token");
  endpoint.answer = () => new Response("<html>", { status: 503 });
  await fails("The token endpoint answered 503");
  endpoint.answer = () => Promise.reject(new TypeError("connection refused"));
  await fails("The token endpoint was not reached: connection refused");
  const count = endpoint.requests.length;
  account("no JSON");
  await fails("The credentials are no JSON object");
  account(JSON.stringify({ ...ACCOUNT, type: "authorized_user" }));
  await fails('Credentials of type "authorized_user" are not supported');
  account(JSON.stringify({ ...ACCOUNT, client_email: 7 }));
  await fails("lack client_email or private_key");
  account(JSON.stringify({ ...ACCOUNT, token_uri: "file:///etc/passwd" }));
  await fails("name no http(s) token_uri");
  account(JSON.stringify({ ...ACCOUNT, private_key: "secret" }));
  const error = await fails("private_key is no RSA key in PEM");
  assert(!`${error.message}${error.cause}`.includes("secret"));
  endpoint.account = () => Promise.reject(new Deno.errors.NotFound());
  await fails("The credentials file cannot be read");
  assertEquals(endpoint.requests.length, count);
});

Deno.test("a token that is in flight breaks off when the upstream is closed", async () => {
  using endpoint = new Endpoint();
  endpoint.tokens.close();
  await assertRejects(() => endpoint.tokens.get(NEVER), AccessError, "not reached: cancelled");
});
