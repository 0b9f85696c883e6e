/**
 * A Vertex upstream with a service account, whose tokens come over the wire.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { generateKeyPairSync } from "node:crypto";
import { FakeUpstream, json, type Script } from "../fixtures/fake_upstream.ts";
import { labConfig } from "../fixtures/lab.ts";
import { TestService } from "../fixtures/service.ts";
import { GOOGLE } from "../fixtures/upstreams/google.ts";

const { privateKey } = generateKeyPairSync("rsa", {
  modulusLength: 2048,
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});

/** The service, a Vertex and a token endpoint. */
class Lab implements AsyncDisposable {
  readonly vertex = new FakeUpstream();
  readonly tokens = new FakeUpstream();
  readonly #file = Deno.makeTempFileSync({ suffix: ".json" });

  async start(): Promise<TestService> {
    const account = {
      type: "service_account",
      client_email: "gateway@lab.test",
      private_key: privateKey,
      token_uri: `http://127.0.0.1:${this.tokens.port}/token`,
    };
    await Deno.writeTextFile(this.#file, JSON.stringify(account));
    const upstream = {
      kind: "google-vertex",
      apiKey: undefined,
      credentialsFileEnv: "LAB_ACCOUNT",
      region: "europe-west1",
      project: "p",
      timeouts: { firstByteMs: 400 },
    };
    const more = { upstreamModel: "gemini-3-pro-preview" };
    const config = labConfig({ id: "vertex", baseUrl: this.vertex.baseUrl, upstream, more });
    return await TestService.start({
      clock: this.tokens.clock,
      config,
      env: { LAB_ACCOUNT: this.#file },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.vertex[Symbol.asyncDispose]();
    await this.tokens[Symbol.asyncDispose]();
    await Deno.remove(this.#file);
  }
}

const PARAMS = { model: "auto", messages: [{ role: "user" as const, content: "Hi" }] };

Deno.test("calls at once share one token of the service account", async () => {
  await using lab = new Lab();
  await using service = await lab.start();
  lab.tokens.answer(json({ access_token: "lab-token", expires_in: 3_600 }));
  lab.vertex.otherwise(json(GOOGLE.text.json));
  const { completions } = service.client().chat;
  const answers = await Promise.all([1, 2, 3].map(() => completions.create(PARAMS)));
  for (const { choices } of answers) assertEquals(choices[0]?.message.content, "Hello there");
  assertEquals(lab.tokens.requests.length, 1);
  assertEquals(lab.tokens.last.method, "POST");
  const sent = lab.vertex.requests.map(({ headers }) => headers.get("authorization"));
  assertEquals(sent, Array(3).fill("Bearer lab-token"));
  await service.assertBooks();
});

const FAILURES: readonly (readonly [string, Script])[] = [
  ["refuses the account", json({ error: "invalid_grant" }, { status: 400 })],
  ["is broken", json("<html>", { status: 503 })],
  ["falls silent", [{ stall: true }]],
  ["hangs up", [{ close: true }]],
];

for (const [what, answer] of FAILURES) {
  Deno.test(`a token endpoint that ${what} is the operator's trouble: 502, and said aloud`, async () => {
    await using lab = new Lab();
    await using service = await lab.start();
    lab.tokens.otherwise(answer);
    const error = await service.client({ maxRetries: 0 }).chat.completions.create(PARAMS)
      .catch((error) => error);
    assertEquals([error.status, error.code], [502, "upstream_error"]);
    assertEquals(lab.vertex.requests.length, 0);
    assert(
      service.logs.some(({ level, event }) =>
        level === "error" && event === "upstream_refuses_credentials"
      ),
    );
    await service.assertBooks();
  });
}
