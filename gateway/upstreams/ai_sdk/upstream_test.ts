import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
  assertThrows,
} from "@std/assert";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import { ModelListError } from "../../ports/upstream.ts";
import { baseUrlOf } from "./account.ts";
import { callOf, CONFIG, recordedUpstream } from "./upstream_fixture.ts";

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
    using made = recordedUpstream(config);
    await made.upstream.call(callOf({}, { model: "m" }));
    assertEquals(made.requests.map((one) => one.url), [url]);
    assertMatch(made.requests[0]?.headers.get(header) ?? "", /^(Bearer )?sk-operator-0123456789$/);
    assertEquals(made.requests[0]?.redirect, "manual");
  });
}

Deno.test("the key comes from the environment that the configuration names", async () => {
  const config = { apiKey: undefined, apiKeyEnv: "LAB_KEY" };
  using made = recordedUpstream(config, { env: { LAB_KEY: "other" } });
  await made.upstream.call(callOf());
  assertEquals(made.requests[0]?.headers.get("x-api-key"), "other");
  using without = recordedUpstream(config);
  const answer = await without.upstream.call(callOf());
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "refused_credentials");
  assertEquals(answer.message, 'Environment variable "LAB_KEY" is not set');
  using keyless = recordedUpstream({ apiKey: undefined });
  const none = await keyless.upstream.call(callOf());
  assert(none.kind === "failure");
  assertEquals(none.message, 'Upstream "lab" has no key');
  assertEquals([...without.requests, ...keyless.requests], []);
});

Deno.test("an upstream whose address is not known cannot be made", () => {
  for (const kind of ["azure", "amazon-bedrock", "openai"] as const) {
    assertThrows(() => recordedUpstream({ kind }), TypeError, "its address is not known");
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
  using made = recordedUpstream({});
  const other = await made.upstream.call(callOf({}, { endpoint: "images.edits" }));
  assert(other.kind === "failure");
  assertEquals(other.message, 'Cannot call "images.edits" of upstream "lab"');
  const refused = await made.upstream.call(callOf({ n: 2 }));
  assert(refused.kind === "failure");
  assertEquals([refused.outcome, refused.param], ["refused_input", "n"]);
  assertEquals(made.requests, []);
});

Deno.test("a refusal of the package is the caller's, and sends nothing", async () => {
  using made = recordedUpstream({});
  const file = { file_data: "data:application/zip;base64,AAAA", filename: "a.zip" };
  const messages = [{ role: "user", content: [{ type: "file", file }] }];
  const answer = await made.upstream.call(callOf({ messages }));
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "refused_input");
  assertEquals(made.requests, []);
});

Deno.test("an image by address is fetched for a provider that needs its bytes", async () => {
  const image = (url: string) => ({ type: "image_url", image_url: { url } });
  const request = (...urls: readonly string[]) =>
    callOf({ messages: [{ role: "user", content: urls.map(image) }] });
  const requests: string[] = [];
  const fetchImage: FetchImage = (url) => {
    requests.push(url);
    return Promise.resolve(
      url.includes("good")
        ? { mediaType: "image/png", bytes: new Uint8Array([1, 2]) }
        : { problem: "its address is not public" },
    );
  };
  using made = recordedUpstream({ kind: "google" }, { fetchImage });
  await made.upstream.call(request("https://good.test/a.png"));
  assertEquals(requests, ["https://good.test/a.png"]);
  const [content] = JSON.parse(made.requests[0]?.body ?? "").contents;
  assertEquals(content.parts, [{ inlineData: { mimeType: "image/png", data: "AQI=" } }]);

  const refused = await made.upstream.call(request("https://good.test/", "http://10.0.0.1/"));
  assert(refused.kind === "failure");
  assertEquals(refused.param, "messages.0.content.1.image_url.url");
  assertEquals(refused.message, "Cannot accept the image: its address is not public");
  const many = await made.upstream.call(request(...Array(17).fill("https://good.test/")));
  assertEquals(many.kind === "failure" && many.outcome, "refused_input");
  using without = recordedUpstream({ kind: "google" });
  const none = await without.upstream.call(request("https://good.test/"));
  assertEquals(none.kind === "failure" && none.outcome, "refused_input");
  assertEquals([requests.length, made.requests.length, without.requests.length], [3, 1, 0]);

  const signal = AbortSignal.abort();
  using aborted = recordedUpstream({ kind: "google" }, {
    fetchImage: () => Promise.reject(signal.reason),
  });
  const cancelled = await aborted.upstream.call({ ...request("https://good.test/"), signal });
  assertEquals(cancelled.kind === "failure" && cancelled.outcome, "cancelled");
});

Deno.test("a tool result's picture is never fetched by the package itself", async () => {
  const requests: string[] = [];
  const fetchImage: FetchImage = (url) => {
    requests.push(url);
    return Promise.resolve({ mediaType: "image/png", bytes: new Uint8Array([1, 2]) });
  };
  using made = recordedUpstream({ kind: "google-vertex" }, { fetchImage });
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const image_url = { url: "http://127.0.0.1:9/a.png" };
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: [{ type: "image_url", image_url }] },
  ];
  await made.upstream.call(callOf({ messages }, { model: "gemini-3-pro-preview" }));
  assertEquals(requests, ["http://127.0.0.1:9/a.png"]);
  assertMatch(made.requests[0]?.body ?? "", /AQI=/);
});

Deno.test("a request without a limit is sent with the limit that the hold pays for", async () => {
  const limits: unknown[] = [];
  for (const kind of ["anthropic", "google", "amazon-bedrock", "mistral", "cohere"] as const) {
    for (const fields of [{}, { max_tokens: 7 }]) {
      using made = recordedUpstream({ kind, region: "eu-central-1" });
      await made.upstream.call(callOf(fields, { heldOutputTokens: 3_000, model: "m" }));
      const { generationConfig, inferenceConfig, max_tokens } = JSON.parse(
        made.requests[0]?.body ?? "",
      );
      limits.push(max_tokens ?? generationConfig?.maxOutputTokens ?? inferenceConfig?.maxTokens);
    }
  }
  assertEquals(limits, [3_000, 7, 3_000, 7, 3_000, 7, 3_000, 7, 3_000, 7]);
  // A name that the operator gave does not say which field its model knows.
  using azure = recordedUpstream({ kind: "azure", resourceName: "own" });
  await azure.upstream.call(callOf({}, { heldOutputTokens: 3_000, model: "m" }));
  assertEquals(JSON.parse(azure.requests[0]?.body ?? "").max_tokens, undefined);
});

Deno.test("thinking never goes beyond the output that the hold pays for", async () => {
  using made = recordedUpstream({});
  await made.upstream.call(callOf({ reasoning_effort: "high" }, { outputLimit: 4_000 }));
  const { max_tokens, thinking } = JSON.parse(made.requests[0]?.body ?? "");
  assertEquals(max_tokens, 4_000);
  assert(thinking.budget_tokens >= 1_024 && thinking.budget_tokens < 4_000);
});

const AWS = { region: "eu", accessKeyIdEnv: "LAB_ID", secretAccessKeyEnv: "LAB_SECRET" };
const BEDROCK_CLAUDE = "anthropic.claude-sonnet-4-5-20250929-v1:0";
const CLAUDE_ANSWER = {
  type: "message",
  id: "msg_1",
  model: "claude",
  content: [{ type: "text", text: "Hello" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
};
const BEDROCK_ANSWER = {
  output: { message: { role: "assistant", content: [{ text: "Hello" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
};

Deno.test("an effort that the output limit leaves no room for is reported, signed or not", async () => {
  const bedrock = { kind: "amazon-bedrock", region: "eu" } as const;
  const env = { LAB_ID: "AKIDEXAMPLE", LAB_SECRET: "wJalrXUtnFEMI" };
  const warning = '"reasoning_effort" is not supported and was left out';
  for (
    const [config, model, answered] of [
      [{}, "claude-sonnet-4-5", CLAUDE_ANSWER],
      [bedrock, BEDROCK_CLAUDE, BEDROCK_ANSWER],
      [{ ...bedrock, ...AWS, apiKey: undefined }, BEDROCK_CLAUDE, BEDROCK_ANSWER],
    ] as const
  ) {
    using made = recordedUpstream(config, { answer: () => Response.json(answered), env });
    for (const [outputLimit, warnings] of [[1_500, [warning]], [4_000, undefined]] as const) {
      const call = callOf({ reasoning_effort: "high" }, { model, outputLimit });
      const got = await made.upstream.call(call);
      assert(got.kind === "json", JSON.stringify(got));
      assertEquals(got.body.value["upstream_warnings"], warnings);
    }
  }
});

Deno.test("no call may be made any more: Bedrock's models still see what was found", async () => {
  const call = { id: "a", type: "function", function: { name: "f", arguments: "{}" } };
  const requests = {
    messages: [
      { role: "user", content: "Hi" },
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "a", content: "was found" },
    ],
    tools: [{ type: "function", function: { name: "f" } }],
    tool_choice: "none",
  };
  const json = { response_format: { type: "json_object" } };
  const schema = { type: "object", properties: {}, additionalProperties: false };
  const held = { response_format: { type: "json_schema", json_schema: { name: "x", schema } } };
  const models = [BEDROCK_CLAUDE, "anthropic.claude-opus-5-5-v1:0", "amazon.nova-pro-v1:0"];
  for (const model of models) {
    for (const format of [{}, json, held]) {
      using made = recordedUpstream({ kind: "amazon-bedrock", region: "eu-central-1" });
      await made.upstream.call(callOf({ ...requests, ...format }, { model }));
      assertStringIncludes(
        made.requests[0]?.body ?? "",
        "was found",
        `${model} ${JSON.stringify(format)}`,
      );
    }
  }
});

Deno.test("calls that another model made carry Gemini's value for foreign history", async () => {
  using made = recordedUpstream({ kind: "google" });
  const call = (id: string) => ({ id, type: "function", function: { name: "f", arguments: "{}" } });
  const messages = [
    { role: "user", content: "Hi" },
    { role: "assistant", tool_calls: [call("a"), call("b")] },
    { role: "tool", tool_call_id: "a", content: "1" },
    { role: "tool", tool_call_id: "b", content: "2" },
  ];
  await made.upstream.call(callOf({ messages }, { model: "gemini-3-pro-preview" }));
  const [, turn] = JSON.parse(made.requests[0]?.body ?? "").contents;
  assertEquals(turn.parts[0].thoughtSignature, "skip_thought_signature_validator");
});

Deno.test("an error never repeats the key", async () => {
  const error = { message: "Bad key sk-operator-0123456789 or AIzaSyA1234567890123" };
  using made = recordedUpstream({}, { answer: () => Response.json({ error }, { status: 400 }) });
  const answer = await made.upstream.call(callOf());
  assert(answer.kind === "failure");
  assertEquals(answer.message, "Bad key [redacted] or [redacted]");
});

Deno.test("a stream that begins with an error is a failure of that status", async () => {
  const event = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const text = `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  const headers = { "content-type": "text/event-stream" };
  using made = recordedUpstream({}, { answer: () => new Response(text, { headers }) });
  const answer = await made.upstream.call(callOf({}, { stream: true }));
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "server_error");
  assertMatch(answer.message, /Overloaded/);
});

Deno.test("a body of nothing, and one without end, are malformed", async () => {
  const headers = { "content-type": "application/json" };
  using empty = recordedUpstream({}, { answer: () => new Response(null, { headers }) });
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
    using made = recordedUpstream({ kind: "mistral" }, { answer });
    const huge = await made.upstream.call(callOf({}, { stream }));
    assert(huge.kind === "failure");
    assertEquals(huge.outcome, "malformed");
    assertStringIncludes(huge.message, "too long");
    assert(cancelled);
  }
});

Deno.test("a Gemini answer that its provider blocked or broke", async () => {
  const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, candidates: [] };
  using refused = recordedUpstream({ kind: "google" }, { answer: () => Response.json(blocked) });
  const answer = await refused.upstream.call(callOf());
  assert(answer.kind === "json", JSON.stringify(answer));
  assertMatch(answer.body.text, /"finish_reason":"content_filter"/);
  const broken = { candidates: [{ content: {}, finishReason: "MALFORMED_FUNCTION_CALL" }] };
  using failed = recordedUpstream({ kind: "google" }, { answer: () => Response.json(broken) });
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
    using made = recordedUpstream(config, { answer: () => Response.json(list) });
    assertEquals(await made.upstream.models(new AbortController().signal), ["m"]);
    assertEquals(made.requests[0]?.url, url);
  });
}

Deno.test("models() gives the reason for a missing list", async () => {
  const signal = new AbortController().signal;
  const unlisted: readonly (readonly [Partial<UpstreamConfig>, string])[] = [
    [{ kind: "azure", resourceName: "own" }, "Azure lists what could be deployed"],
    [{ kind: "google-vertex" }, "Vertex lists models for service accounts only"],
    [{ kind: "amazon-bedrock", baseUrl: "http://127.0.0.1:9" }, "is at another address"],
  ];
  for (const [config, why] of unlisted) {
    using made = recordedUpstream(config);
    const error = await assertRejects(() => made.upstream.models(signal), ModelListError, why);
    assertEquals(error.reason, "unlisted");
    assertEquals(made.requests, []);
  }
  using keyless = recordedUpstream({ apiKey: undefined });
  const error = await assertRejects(() => keyless.upstream.models(signal), ModelListError);
  assertEquals(error.reason, "refused");
  using failing = recordedUpstream({});
  await assertRejects(() => failing.upstream.models(signal), Error, "has status 500");
  using odd = recordedUpstream({}, { answer: () => Response.json({}) });
  await assertRejects(() => odd.upstream.models(signal), Error, "no list of models");
  await assertRejects(() => odd.upstream.models(AbortSignal.abort()), Error, "cancelled");
});
