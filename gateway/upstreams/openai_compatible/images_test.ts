import { assert, assertEquals } from "@std/assert";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import { dataUri, JPEG, PNG } from "../../images/image_fixture.ts";
import type { FetchImage } from "../../ports/fetch_image.ts";
import type { UpstreamAnswer, UpstreamCall } from "../../ports/upstream.ts";
import { OpenAICompatibleUpstream } from "./mod.ts";

const CONFIG: UpstreamConfig = {
  id: "lab",
  kind: "openai",
  provider: "lab",
  apiKey: "secret",
  maxInFlight: 2,
  onDisconnect: "cancel",
  timeouts: { connectMs: 5_000, firstByteMs: 10_000, idleMs: 10_000 },
};
const clock = { nowMs: () => 0, monotonicMs: () => 0 };
const USAGE = {
  input_tokens: 50,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
  output_tokens: 272,
  total_tokens: 322,
};
const ANSWER = { created: 5, data: [{ b64_json: "AAAA" }, { b64_json: "BBBB" }], usage: USAGE };

interface RecordedRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: BodyInit | null | undefined;
}

/** Makes a call of an upstream that answers with a body, and notes what was asked. */
async function send(
  endpoint: UpstreamCall["endpoint"],
  value: Record<string, unknown>,
  options: {
    model?: string;
    answer?: unknown;
    fetchImage?: FetchImage;
    signal?: AbortSignal;
  } = {},
): Promise<{ answer: UpstreamAnswer; requests: RecordedRequest[] }> {
  const requests: RecordedRequest[] = [];
  const upstream = new OpenAICompatibleUpstream(CONFIG, {
    clock,
    env: () => undefined,
    fetchImage: options.fetchImage,
    fetch: (url, init) => {
      requests.push({ url: String(url), headers: new Headers(init?.headers), body: init?.body });
      return Promise.resolve(Response.json(options.answer ?? ANSWER));
    },
  });
  const answer = await upstream.call({
    endpoint,
    model: options.model ?? "gpt-image-1",
    body: { text: JSON.stringify(value), value },
    stream: false,
    requestId: "req_1",
    signal: options.signal ?? new AbortController().signal,
  });
  upstream.close();
  return { answer, requests };
}

Deno.test("a generation passes through, in base64 for any response format", async () => {
  const value = { model: "auto", prompt: "A fox", n: 2, size: "1024x1024", response_format: "url" };
  const rows = [
    ["gpt-image-1", { model: "gpt-image-1", prompt: "A fox", n: 2, size: "1024x1024" }],
    ["dall-e-3", { ...value, model: "dall-e-3", response_format: "b64_json" }],
  ] as const;
  for (const [model, body] of rows) {
    const { answer, requests } = await send("images.generations", value, { model });
    assertEquals(requests[0]?.url, "https://api.openai.com/v1/images/generations");
    assertEquals(requests[0]?.headers.get("content-type"), "application/json");
    assertEquals(await new Response(requests[0]?.body).json(), body);
    assert(answer.kind === "json");
    assertEquals(answer.body.value, ANSWER);
    assertEquals(answer.usage, {
      inputTokens: 50,
      cachedInputTokens: 0,
      imageInputTokens: 40,
      outputTokens: 272,
      images: 2,
    });
  }
});

Deno.test("an edit becomes a form with files", async () => {
  const value = {
    model: "auto",
    prompt: "Make it blue",
    n: 2,
    size: null,
    stream: false,
    image: [dataUri("image/png", PNG), "https://images.example/a.jpg"],
    mask: dataUri("image/png", PNG),
  };
  const fetchImage = () => Promise.resolve({ mediaType: "image/jpeg", bytes: JPEG });
  const { answer, requests } = await send("images.edits", value, { model: "dall-e-2", fetchImage });
  assert(answer.kind === "json", JSON.stringify(answer));
  assertEquals(requests[0]?.url, "https://api.openai.com/v1/images/edits");
  // The platform writes the type, with the boundary.
  assertEquals(requests[0]?.headers.get("content-type"), null);
  assertEquals(requests[0]?.headers.get("authorization"), "Bearer secret");
  const form = requests[0]?.body;
  assert(form instanceof FormData);
  const texts = [...form].filter(([, field]) => typeof field === "string");
  assertEquals(Object.fromEntries(texts), {
    model: "dall-e-2",
    response_format: "b64_json",
    prompt: "Make it blue",
    n: "2",
  });
  const files: [string, string, string, Uint8Array][] = [];
  for (const [name, field] of form) {
    if (field instanceof File) files.push([name, field.name, field.type, await field.bytes()]);
  }
  assertEquals(files, [
    ["image[]", "image-0.png", "image/png", PNG],
    ["image[]", "image-1.jpeg", "image/jpeg", JPEG],
    ["mask", "mask.png", "image/png", PNG],
  ]);
});

Deno.test("one image goes under the name that older servers know", async () => {
  const value = { model: "auto", prompt: "p", image: dataUri("image/png", PNG) };
  const { requests } = await send("images.edits", value);
  const form = requests[0]?.body;
  assert(form instanceof FormData);
  assertEquals([...form.keys()], ["model", "prompt", "image"]);
});

Deno.test("an image that cannot be had is the caller's trouble, and nothing is sent", async () => {
  const fetchImage = () => Promise.resolve({ problem: "its server answers with status 404" });
  const rows = [
    [{ image: "https://images.example/a.png" }, { fetchImage }, "image"],
    [{ image: "https://images.example/a.png" }, {}, "image"],
    [{ image: [dataUri("image/png", PNG), dataUri("image/png", JPEG)] }, {}, "image.1"],
  ] as const;
  for (const [value, options, param] of rows) {
    const { answer, requests } = await send("images.edits", { ...value }, options);
    assert(answer.kind === "failure");
    assertEquals([answer.outcome, answer.param], ["refused_input", param]);
    assertEquals(requests, []);
  }
});

Deno.test("a caller that leaves while its images are fetched has cancelled", async () => {
  const caller = new AbortController();
  const fetchImage: FetchImage = (_url, signal) => {
    caller.abort();
    return Promise.reject(signal.reason);
  };
  const value = { image: "https://images.example/a.png" };
  const { answer, requests } = await send("images.edits", value, {
    fetchImage,
    signal: caller.signal,
  });
  assert(answer.kind === "failure");
  assertEquals([answer.outcome, requests.length], ["cancelled", 0]);
});

Deno.test("answers without images are malformed, and usage without numbers is ignored", async () => {
  const value = { model: "auto", prompt: "p" };
  for (const data of [undefined, [], [{}], [{ b64_json: "" }], [{ b64_json: 7 }], [null], "x"]) {
    const { answer } = await send("images.generations", value, { answer: { created: 1, data } });
    assert(answer.kind === "failure", JSON.stringify(data));
    assertEquals(answer.outcome, "malformed");
  }
  const usageOf = async (usage: unknown) => {
    const { answer } = await send("images.generations", value, { answer: { ...ANSWER, usage } });
    assert(answer.kind === "json");
    return answer.usage;
  };
  for (const usage of [undefined, null, {}, { ...USAGE, input_tokens: "50" }]) {
    assertEquals(await usageOf(usage), undefined, JSON.stringify(usage));
  }
  // Impossible numbers are judged where the call is settled; a detail is kept within its whole.
  assertEquals((await usageOf({ ...USAGE, input_tokens: -1 }))?.inputTokens, -1);
  assertEquals((await usageOf({ ...USAGE, input_tokens: 39 }))?.imageInputTokens, 39);
  const details = { cached_tokens: 51 };
  const cached = await usageOf({ ...USAGE, input_tokens_details: details });
  assertEquals(cached?.cachedInputTokens, cached?.inputTokens);
});
