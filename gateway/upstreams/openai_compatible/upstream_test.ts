import { assert, assertEquals, assertThrows } from "@std/assert";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { UpstreamCall } from "../../ports/upstream.ts";
import { OpenAICompatibleUpstream } from "./mod.ts";

const clock = { nowMs: () => 0, monotonicMs: () => 0 };

const CONFIG: UpstreamConfig = {
  id: "lab",
  kind: "openai",
  provider: "lab",
  maxInFlight: 2,
  onDisconnect: "cancel",
  timeouts: { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000 },
};

const CALL: UpstreamCall = {
  endpoint: "chat",
  model: "m",
  body: { text: "{}", value: {} },
  stream: false,
  requestId: "req_1",
  signal: new AbortController().signal,
};

/** Answers by itself and notes what was asked. */
function recorder() {
  const requests: { url: string; init: RequestInit | undefined }[] = [];
  const record: typeof fetch = (input, init) => {
    requests.push({ url: String(input), init });
    return Promise.resolve(Response.json({ choices: [] }));
  };
  return { requests, fetch: record };
}

function create(config: Partial<UpstreamConfig>, env: Readonly<Record<string, string>> = {}) {
  const { requests, fetch } = recorder();
  const whole = { ...CONFIG, ...config };
  const upstream = new OpenAICompatibleUpstream(whole, { clock, env: (name) => env[name], fetch });
  return { requests, upstream, [Symbol.dispose]: () => upstream.close() };
}

Deno.test("the key comes from the environment that the configuration names", async () => {
  using made = create({ apiKeyEnv: "LAB_KEY" }, { LAB_KEY: "secret-1" });
  await made.upstream.call(CALL);
  assertEquals(made.requests[0]?.url, "https://api.openai.com/v1/chat/completions");
  const headers = new Headers(made.requests[0]?.init?.headers);
  assertEquals(headers.get("authorization"), "Bearer secret-1");
  assertEquals(made.requests[0]?.init?.redirect, "manual");
});

Deno.test("a named key that is missing is the operator's trouble, and nothing is sent", async () => {
  using made = create({ apiKeyEnv: "LAB_KEY" });
  const answer = await made.upstream.call(CALL);
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "refused_credentials");
  assertEquals(answer.message, 'Environment variable "LAB_KEY" is not set');
  assertEquals(made.requests, []);
});

Deno.test("without a key no authorization is sent", async () => {
  using made = create({ baseUrl: "http://127.0.0.1:9/v1/" });
  await made.upstream.call(CALL);
  assertEquals(made.requests[0]?.url, "http://127.0.0.1:9/v1/chat/completions");
  assertEquals(new Headers(made.requests[0]?.init?.headers).has("authorization"), false);
});

Deno.test("a base URL is needed, and must be one", () => {
  assertThrows(() => create({ kind: "openai-compatible" }), TypeError, "no base URL");
  assertThrows(() => create({ baseUrl: "nowhere" }), TypeError);
});
