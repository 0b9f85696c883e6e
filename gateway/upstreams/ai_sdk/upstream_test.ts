import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import type { UpstreamConfig } from "../../domain/catalog.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import { ModelListError, type UpstreamCall } from "../../ports/upstream.ts";
import { AiSdkUpstream } from "./mod.ts";
import { baseUrlOf } from "./providers.ts";

const clock = { nowMs: () => 0, monotonicMs: () => 0 };
const CONFIG: UpstreamConfig = {
  id: "lab",
  kind: "anthropic",
  provider: "lab",
  apiKey: "sk-operator-0123456789",
  maxInFlight: 2,
  onDisconnect: "cancel",
  timeouts: { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000 },
};

/** Answers by itself and notes what was asked. */
function recorder(answer: () => Response) {
  const asked: { url: string; headers: Headers; body: string; redirect: unknown }[] = [];
  const record: typeof fetch = (input, init) => {
    asked.push({
      url: String(input),
      headers: new Headers(init?.headers),
      body: String(init?.body),
      redirect: init?.redirect,
    });
    return Promise.resolve(answer());
  };
  return { asked, fetch: record };
}

const REFUSED = () => Response.json({ error: { message: "No" } }, { status: 500 });

function create(
  config: Partial<UpstreamConfig>,
  options: {
    env?: Readonly<Record<string, string>>;
    answer?: () => Response;
    fetchImage?: FetchImage;
  } = {},
) {
  const { asked, fetch } = recorder(options.answer ?? REFUSED);
  const env = (name: string) => options.env?.[name];
  const upstream = new AiSdkUpstream({ ...CONFIG, ...config }, {
    clock,
    env,
    fetch,
    fetchImage: options.fetchImage,
  });
  return { asked, upstream, [Symbol.dispose]: () => upstream.close() };
}

function callOf(
  fields: Readonly<Record<string, unknown>> = {},
  more: Partial<UpstreamCall> = {},
): UpstreamCall {
  const value = { model: "auto", messages: [{ role: "user", content: "Hi" }], ...fields };
  return {
    endpoint: "chat",
    model: "claude-sonnet-4-5",
    body: { text: JSON.stringify(value), value },
    stream: false,
    requestId: "req_1",
    signal: new AbortController().signal,
    ...more,
  };
}

const ADDRESSES: readonly (readonly [Partial<UpstreamConfig>, string, string])[] = [
  [{ kind: "anthropic" }, "https://api.anthropic.com/v1/messages", "x-api-key"],
  [
    { kind: "google" },
    "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
    "x-goog-api-key",
  ],
  [
    { kind: "google-vertex" },
    "https://aiplatform.googleapis.com/v1/publishers/google/models/m:generateContent",
    "x-goog-api-key",
  ],
  [
    { kind: "amazon-bedrock", region: "eu-central-1" },
    "https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse",
    "authorization",
  ],
  [
    { kind: "azure", resourceName: "own" },
    "https://own.openai.azure.com/openai/v1/chat/completions?api-version=v1",
    "api-key",
  ],
  [
    { kind: "azure", resourceName: "own", apiVersion: "2024-10-21" },
    "https://own.openai.azure.com/openai/deployments/m/chat/completions?api-version=2024-10-21",
    "api-key",
  ],
  [{ kind: "mistral" }, "https://api.mistral.ai/v1/chat/completions", "authorization"],
  [{ kind: "cohere" }, "https://api.cohere.com/v2/chat", "authorization"],
  [
    { kind: "cohere", baseUrl: "http://127.0.0.1:9/x/" },
    "http://127.0.0.1:9/x/chat",
    "authorization",
  ],
];

for (const [config, url, header] of ADDRESSES) {
  Deno.test(`"${config.kind}" is called at ${url}, with its key in "${header}"`, async () => {
    using made = create(config);
    await made.upstream.call(callOf({}, { model: "m" }));
    assertEquals(made.asked.map((one) => one.url), [url]);
    assertMatch(made.asked[0]?.headers.get(header) ?? "", /^(Bearer )?sk-operator-0123456789$/);
    assertEquals(made.asked[0]?.redirect, "manual");
  });
}

Deno.test("the key comes from the environment that the configuration names", async () => {
  const config = { apiKey: undefined, apiKeyEnv: "LAB_KEY" };
  using made = create(config, { env: { LAB_KEY: "other" } });
  await made.upstream.call(callOf());
  assertEquals(made.asked[0]?.headers.get("x-api-key"), "other");
  using without = create(config);
  const answer = await without.upstream.call(callOf());
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "refused_credentials");
  assertEquals(answer.message, 'Environment variable "LAB_KEY" is not set');
  using keyless = create({ apiKey: undefined });
  const none = await keyless.upstream.call(callOf());
  assert(none.kind === "failure");
  assertEquals(none.message, 'Upstream "lab" has no key');
  assertEquals([...without.asked, ...keyless.asked], []);
});

Deno.test("an upstream whose address is not known cannot be made", () => {
  for (const kind of ["azure", "amazon-bedrock", "openai"] as const) {
    assertThrows(() => create({ kind }), TypeError, "its address is not known");
  }
  const account = { kind: "service-account" } as const;
  const vertex = { ...CONFIG, kind: "google-vertex" } as const;
  assertEquals(baseUrlOf(vertex, account), undefined);
  const places = { "europe-west1": "europe-west1-aiplatform", global: "aiplatform" };
  for (const [region, host] of Object.entries(places)) {
    assertEquals(
      baseUrlOf({ ...vertex, project: "p", region }, account),
      `https://${host}.googleapis.com/v1beta1/projects/p/locations/${region}/publishers/google`,
    );
  }
});

Deno.test("an endpoint that is not spoken, and what cannot be carried, send nothing", async () => {
  using made = create({});
  const other = await made.upstream.call(callOf({}, { endpoint: "images.edits" }));
  assert(other.kind === "failure");
  assertEquals(other.message, 'Cannot call "images.edits" of upstream "lab"');
  const refused = await made.upstream.call(callOf({ n: 2 }));
  assert(refused.kind === "failure");
  assertEquals([refused.outcome, refused.param], ["refused_input", "n"]);
  assertEquals(made.asked, []);
});

Deno.test("what the package itself refuses is the caller's, and sends nothing", async () => {
  using made = create({});
  const file = { file_data: "data:application/zip;base64,AAAA", filename: "a.zip" };
  const messages = [{ role: "user", content: [{ type: "file", file }] }];
  const answer = await made.upstream.call(callOf({ messages }));
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "refused_input");
  assertEquals(made.asked, []);
});

Deno.test("an image by address is fetched for a provider that needs its bytes", async () => {
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  const request = (...urls: readonly string[]) =>
    callOf({ messages: [{ role: "user", content: urls.map(image) }] });
  const asked: string[] = [];
  const fetchImage: FetchImage = (url) => {
    asked.push(url);
    return Promise.resolve(
      url.includes("good")
        ? { mediaType: "image/png", bytes: new Uint8Array([1, 2]) }
        : { problem: "its address is not public" },
    );
  };
  using made = create({ kind: "google" }, { fetchImage });
  await made.upstream.call(request("https://good.test/a.png"));
  assertEquals(asked, ["https://good.test/a.png"]);
  const [content] = JSON.parse(made.asked[0]?.body ?? "").contents;
  assertEquals(content.parts, [{ inlineData: { mimeType: "image/png", data: "AQI=" } }]);

  const refused = await made.upstream.call(request("https://good.test/", "http://10.0.0.1/"));
  assert(refused.kind === "failure");
  assertEquals(refused.param, "messages.0.content.1.image_url.url");
  assertEquals(refused.message, "Cannot accept the image: its address is not public");
  const many = await made.upstream.call(request(...Array(17).fill("https://good.test/")));
  assertEquals(many.kind === "failure" && many.outcome, "refused_input");
  using without = create({ kind: "google" });
  const none = await without.upstream.call(request("https://good.test/"));
  assertEquals(none.kind === "failure" && none.outcome, "refused_input");
  assertEquals([asked.length, made.asked.length, without.asked.length], [3, 1, 0]);

  const signal = AbortSignal.abort();
  using aborted = create({ kind: "google" }, { fetchImage: () => Promise.reject(signal.reason) });
  const left = await aborted.upstream.call({ ...request("https://good.test/"), signal });
  assertEquals(left.kind === "failure" && left.outcome, "cancelled");
});

Deno.test("a tool result's picture is never fetched by the package itself", async () => {
  const asked: string[] = [];
  const fetchImage: FetchImage = (url) => {
    asked.push(url);
    return Promise.resolve({ mediaType: "image/png", bytes: new Uint8Array([1, 2]) });
  };
  using made = create({ kind: "google-vertex" }, { fetchImage });
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const image_url = { url: "http://127.0.0.1:9/a.png" };
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: [{ type: "image_url", image_url }] },
  ];
  await made.upstream.call(callOf({ messages }, { model: "gemini-3-pro-preview" }));
  assertEquals(asked, ["http://127.0.0.1:9/a.png"]);
  assertMatch(made.asked[0]?.body ?? "", /AQI=/);
});

Deno.test("a limit is sent where nobody asks for one: what the hold pays for", async () => {
  const limits: unknown[] = [];
  for (const kind of ["anthropic", "google", "amazon-bedrock", "mistral", "cohere"] as const) {
    for (const fields of [{}, { max_tokens: 7 }]) {
      using made = create({ kind, region: "eu-central-1" });
      await made.upstream.call(callOf(fields, { heldOutputTokens: 3_000, model: "m" }));
      const { generationConfig, inferenceConfig, max_tokens } = JSON.parse(
        made.asked[0]?.body ?? "",
      );
      limits.push(max_tokens ?? generationConfig?.maxOutputTokens ?? inferenceConfig?.maxTokens);
    }
  }
  assertEquals(limits, [3_000, 7, 3_000, 7, 3_000, 7, 3_000, 7, 3_000, 7]);
  // A name that the operator gave does not say which field its model knows.
  using azure = create({ kind: "azure", resourceName: "own" });
  await azure.upstream.call(callOf({}, { heldOutputTokens: 3_000, model: "m" }));
  assertEquals(JSON.parse(azure.asked[0]?.body ?? "").max_tokens, undefined);
});

Deno.test("thinking never goes beyond the output that the hold pays for", async () => {
  using made = create({});
  await made.upstream.call(callOf({ reasoning_effort: "high" }, { outputLimit: 4_000 }));
  const { max_tokens, thinking } = JSON.parse(made.asked[0]?.body ?? "");
  assertEquals(max_tokens, 4_000);
  assert(thinking.budget_tokens >= 1_024 && thinking.budget_tokens < 4_000);
});

Deno.test("calls that another model made carry Gemini's value for foreign history", async () => {
  using made = create({ kind: "google" });
  const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", tool_calls: [call("a"), call("b")] },
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "b", content: "2" },
  ];
  await made.upstream.call(callOf({ messages }, { model: "gemini-3-pro-preview" }));
  const [, turn] = JSON.parse(made.asked[0]?.body ?? "").contents;
  assertEquals(turn.parts[0].thoughtSignature, "skip_thought_signature_validator");
});

Deno.test("an error never repeats the key", async () => {
  const error = { message: "Bad key sk-operator-0123456789 or AIzaSyA1234567890123" };
  using made = create({}, { answer: () => Response.json({ error }, { status: 400 }) });
  const answer = await made.upstream.call(callOf());
  assert(answer.kind === "failure");
  assertEquals(answer.message, "Bad key [redacted] or [redacted]");
});

Deno.test("a stream that begins with an error is a failure of that status", async () => {
  const event = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const text = `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  const headers = { "content-type": "text/event-stream" };
  using made = create({}, { answer: () => new Response(text, { headers }) });
  const answer = await made.upstream.call(callOf({}, { stream: true }));
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "server_error");
  assertMatch(answer.message, /Overloaded/);
});

Deno.test("a body of nothing, and one without end, are malformed", async () => {
  const headers = { "content-type": "application/json" };
  using empty = create({}, { answer: () => new Response(null, { headers }) });
  const nothing = await empty.upstream.call(callOf());
  assertEquals(nothing.kind === "failure" && nothing.outcome, "malformed");

  const piece = new Uint8Array(1024 * 1024).fill(32);
  let cancelled = false;
  const endless = () =>
    new ReadableStream({
      pull: (controller) => controller.enqueue(piece),
      cancel: () => {
        cancelled = true;
      },
    });
  for (const stream of [false, true]) {
    cancelled = false;
    const type = stream ? "text/event-stream" : "application/json";
    const answer = () => new Response(endless(), { headers: { "content-type": type } });
    using made = create({ kind: "mistral" }, { answer });
    const huge = await made.upstream.call(callOf({}, { stream }));
    assert(huge.kind === "failure");
    assertEquals([huge.outcome, huge.message], ["malformed", "The answer is too long"]);
    assert(cancelled);
  }
});

Deno.test("a Gemini answer that its provider blocked or broke", async () => {
  const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, candidates: [] };
  using refused = create({ kind: "google" }, { answer: () => Response.json(blocked) });
  const answer = await refused.upstream.call(callOf());
  assert(answer.kind === "json", JSON.stringify(answer));
  assertMatch(answer.body.text, /"finish_reason":"content_filter"/);
  const broken = { candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL" }] };
  using failed = create({ kind: "google" }, { answer: () => Response.json(broken) });
  const failure = await failed.upstream.call(callOf());
  assert(failure.kind === "failure");
  assertEquals(failure.outcome, "server_error");
});

const LISTS: readonly (readonly [Partial<UpstreamConfig>, string, unknown])[] = [
  [{ kind: "anthropic" }, "https://api.anthropic.com/v1/models?limit=1000", {
    data: [{ id: "m" }, { id: 7 }],
  }],
  [
    { kind: "google" },
    "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000",
    { models: [{ name: "models/m" }, null] },
  ],
  [{ kind: "mistral" }, "https://api.mistral.ai/v1/models", { data: [{ id: "m" }] }],
  [{ kind: "cohere" }, "https://api.cohere.com/v1/models?endpoint=chat&page_size=1000", {
    models: [{ name: "m" }],
  }],
  [
    { kind: "amazon-bedrock", region: "eu-central-1" },
    "https://bedrock.eu-central-1.amazonaws.com/foundation-models",
    { modelSummaries: [{ modelId: "m" }] },
  ],
];

for (const [config, url, list] of LISTS) {
  Deno.test(`models() of "${config.kind}"`, async () => {
    using made = create(config, { answer: () => Response.json(list) });
    assertEquals(await made.upstream.models(new AbortController().signal), ["m"]);
    assertEquals(made.asked[0]?.url, url);
  });
}

Deno.test("models() says why there is no list", async () => {
  const signal = new AbortController().signal;
  const unlisted: readonly (readonly [Partial<UpstreamConfig>, string])[] = [
    [{ kind: "azure", resourceName: "own" }, "Azure lists what could be deployed"],
    [{ kind: "google-vertex" }, "Vertex lists models for service accounts only"],
    [{ kind: "amazon-bedrock", baseUrl: "http://127.0.0.1:9" }, "is at another address"],
  ];
  for (const [config, why] of unlisted) {
    using made = create(config);
    const error = await assertRejects(() => made.upstream.models(signal), ModelListError, why);
    assertEquals(error.reason, "unlisted");
    assertEquals(made.asked, []);
  }
  using keyless = create({ apiKey: undefined });
  const error = await assertRejects(() => keyless.upstream.models(signal), ModelListError);
  assertEquals(error.reason, "refused");
  using failing = create({});
  await assertRejects(() => failing.upstream.models(signal), Error, "has status 500");
  using odd = create({}, { answer: () => Response.json({}) });
  await assertRejects(() => odd.upstream.models(signal), Error, "no list of models");
  await assertRejects(() => odd.upstream.models(AbortSignal.abort()), Error, "cancelled");
});
