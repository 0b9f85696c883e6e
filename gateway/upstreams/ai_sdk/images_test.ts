import { assert, assertEquals } from "@std/assert";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { dataUri, PNG } from "../../images/image_fixture.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import type { UpstreamAnswer, UpstreamCall } from "../../ports/upstream.ts";
import { callOf, recordedUpstream } from "./upstream_fixture.ts";

const PICTURE = PNG.toBase64();

interface RecordedRequest {
  readonly url: string;
  readonly body: Record<string, unknown>;
}

/** Makes a call of an upstream whose provider gives these answers, and notes what it was asked. */
async function send(
  kind: string,
  value: Readonly<Record<string, unknown>>,
  options: {
    readonly model?: string;
    readonly endpoint?: UpstreamCall["endpoint"];
    readonly answers?: readonly unknown[];
    readonly config?: Partial<UpstreamConfig>;
    readonly fetchImage?: FetchImage;
    readonly signal?: AbortSignal;
  } = {},
): Promise<{ answer: UpstreamAnswer; requests: RecordedRequest[] }> {
  const answers = [...options.answers ?? []];
  using made = recordedUpstream({
    kind,
    baseUrl: "https://provider.example/v1",
    region: "eu-central-1",
    ...options.config,
  }, {
    nowMs: 5_000,
    fetchImage: options.fetchImage,
    answer: () => Response.json(answers.shift()),
  });
  const body = { model: "auto", prompt: "A fox", ...value };
  const answer = await made.upstream.call(callOf({}, {
    endpoint: options.endpoint ?? "images.generations",
    model: options.model ?? "gpt-image-1",
    body: { text: JSON.stringify(body), value: body },
    ...(options.signal && { signal: options.signal }),
  }));
  return {
    answer,
    requests: made.requests.map(({ url, body }) => ({ url, body: JSON.parse(body) })),
  };
}

const openai = (more: Readonly<Record<string, unknown>> = {}) => ({
  created: 1,
  data: [{ b64_json: PICTURE, revised_prompt: "A red fox" }],
  ...more,
});
const gemini = (usageMetadata?: unknown) => ({
  candidates: [{
    content: { role: "model", parts: [{ inlineData: { mimeType: "image/png", data: PICTURE } }] },
    finishReason: "STOP",
  }],
  ...(usageMetadata === undefined ? {} : { usageMetadata }),
});

Deno.test("Azure's answer keeps what it says of its pictures, and its cached tokens", async () => {
  const usage = {
    input_tokens: 50,
    input_tokens_details: { image_tokens: 30, text_tokens: 20, cached_tokens: 8 },
    output_tokens: 272,
    total_tokens: 322,
  };
  const answers = [openai({ quality: "high", output_format: "png", size: "16x16", usage })];
  const { answer } = await send("azure", { quality: "high" }, { answers });
  assert(answer.kind === "json");
  assertEquals(answer.body.value, {
    created: 5,
    data: [{ b64_json: PICTURE, revised_prompt: "A red fox" }],
    quality: "high",
    output_format: "png",
    size: "16x16",
    usage,
  });
  assertEquals(answer.usage, {
    inputTokens: 50,
    cachedInputTokens: 8,
    imageInputTokens: 30,
    outputTokens: 272,
    images: 1,
  });
});

Deno.test("every kind is called at the address where it draws", async () => {
  const azure = { baseUrl: undefined, resourceName: "own" };
  const own = "https://own.openai.azure.com/openai";
  const apiVersion = "2025-04-01-preview";
  const dated = `${own}/deployments/m/images/generations?api-version=${apiVersion}`;
  const rows = [
    ["google", {}, "https://provider.example/v1/models/gemini-m:generateContent"],
    ["google-vertex", {}, "https://provider.example/v1/models/gemini-m:generateContent"],
    ["amazon-bedrock", {}, "https://provider.example/v1/model/m/invoke"],
    ["azure", azure, `${own}/v1/images/generations?api-version=v1`],
    ["azure", { ...azure, apiVersion }, dated],
  ] as const;
  for (const [kind, config, address] of rows) {
    const model = kind.startsWith("google") ? "gemini-m" : "m";
    const { requests } = await send(kind, {}, { model, config, answers: [{}] });
    assertEquals(requests.map(({ url }) => url), [address]);
  }
});

Deno.test("deployments on Azure are asked for base64 only where it is not the default", async () => {
  for (const [model, format] of [["our-pictures", undefined], ["dall-e-3", "b64_json"]] as const) {
    const { requests } = await send("azure", {}, { model, answers: [openai()] });
    assertEquals(requests[0]?.body["response_format"], format);
    assertEquals(requests[0]?.body["model"], model);
  }
});

Deno.test("a seed draws another picture in each of several requests", async () => {
  const answers = [gemini(), gemini(), gemini()];
  const model = "gemini-2.5-flash-image";
  const { answer, requests } = await send("google", { n: 3, seed: 40, style: "x" }, {
    model,
    answers,
  });
  assert(answer.kind === "json");
  const seeds = requests.map(({ body }) => Reflect.get(Object(body["generationConfig"]), "seed"));
  assertEquals(seeds.sort(), [40, 41, 42]);
  const { data, upstream_warnings, usage } = answer.body.value;
  assertEquals(Array.isArray(data) && data.length, 3);
  assertEquals(upstream_warnings, ['"style" is not supported and was left out']);
  assertEquals([usage, answer.usage], [undefined, undefined]);
});

Deno.test("more images than Amazon draws at once are asked for in two requests", async () => {
  const images = (count: number) => ({ images: Array(count).fill(PICTURE) });
  const model = "amazon.nova-canvas-v1:0";
  const answers = [images(5), images(2)];
  const { answer, requests } = await send("amazon-bedrock", { n: 7 }, { model, answers });
  assert(answer.kind === "json");
  const counts = requests.map(({ body }) =>
    Reflect.get(Object(body["imageGenerationConfig"]), "numberOfImages")
  );
  assertEquals(counts, [5, 2]);
  const { data } = answer.body.value;
  assertEquals(Array.isArray(data) && data.length, 7);
});

Deno.test("the answer reports that a filter withheld some of the images", async () => {
  const answers = [{ images: [PICTURE], error: "1 image was blocked by our content filters." }];
  const model = "amazon.nova-canvas-v1:0";
  const { answer } = await send("amazon-bedrock", { n: 2 }, { model, answers });
  assert(answer.kind === "json");
  assertEquals(answer.body.value["upstream_warnings"], [
    "1 image was blocked by our content filters.",
  ]);
});

Deno.test("tokens that make no sense are ignored", async () => {
  const model = "gemini-2.5-flash-image";
  const good = { promptTokenCount: 10, candidatesTokenCount: 90 };
  const image = (tokenCount: number) => [{ modality: "IMAGE", tokenCount }];
  const rows = [
    { promptTokenCount: 10 },
    { ...good, candidatesTokenCount: 1.5 },
    { ...good, promptTokensDetails: image(11) },
    { ...good, cachedContentTokenCount: 11 },
  ];
  for (const usage of rows) {
    const { answer } = await send("google", {}, { model, answers: [gemini(usage)] });
    assert(answer.kind === "json", JSON.stringify(answer));
    assertEquals(answer.usage, undefined, JSON.stringify(usage));
  }
  const partly = { n: 2 };
  const { answer } = await send("google", partly, { model, answers: [gemini(good), gemini()] });
  assert(answer.kind === "json");
  assertEquals(answer.usage, undefined, "of the whole nothing is known");
});

Deno.test("an error inside of a good status is one", async () => {
  const answers = [{ error: { code: 429, message: "Slow down" } }];
  const { answer } = await send("azure", {}, { answers });
  assert(answer.kind === "failure");
  assertEquals([answer.outcome, answer.message], ["rate_limited", "Slow down"]);
});

Deno.test("kinds and models that draw nothing fail in a way that another may make good", async () => {
  for (const kind of ["anthropic", "mistral", "cohere"] as const) {
    for (const endpoint of ["images.generations", "images.edits"] as const) {
      const { answer, requests } = await send(kind, { image: "x" }, { endpoint });
      assert(answer.kind === "failure");
      assertEquals([answer.outcome, requests.length], ["server_error", 0]);
    }
  }
  for (const kind of ["google", "google-vertex"] as const) {
    const { answer, requests } = await send(kind, {}, { model: "imagen-4.0-generate-001" });
    assert(answer.kind === "failure");
    assertEquals([answer.outcome, requests.length], ["server_error", 0]);
  }
});

Deno.test("a value that OpenAI's models do not know is the caller's mistake", async () => {
  const { answer, requests } = await send("azure", { quality: "superb" });
  assert(answer.kind === "failure");
  assertEquals([answer.outcome, requests.length], ["refused_input", 0]);
});

Deno.test("a caller that leaves while its images are fetched has cancelled", async () => {
  const caller = new AbortController();
  const fetchImage: FetchImage = (_url, signal) => {
    caller.abort();
    return Promise.reject(signal.reason);
  };
  const image = [dataUri("image/png", PNG), "https://images.example/a.png"];
  const { answer, requests } = await send("azure", { image }, {
    endpoint: "images.edits",
    fetchImage,
    signal: caller.signal,
  });
  assert(answer.kind === "failure");
  assertEquals([answer.outcome, requests.length], ["cancelled", 0]);
});
