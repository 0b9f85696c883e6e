import { assert, assertEquals } from "@std/assert";
import type { UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { UpstreamAnswer } from "../../ports/upstream.ts";
import { callOf, recordedUpstream } from "./upstream_fixture.ts";

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
    readonly answer?: (texts: number) => unknown;
    readonly answers?: readonly Response[];
    readonly config?: Partial<UpstreamConfig>;
  } = {},
): Promise<{ answer: UpstreamAnswer; requests: RecordedRequest[] }> {
  const answers = [...options.answers ?? []];
  using made = recordedUpstream({
    kind,
    baseUrl: "https://provider.example/v1",
    region: "eu-central-1",
    ...options.config,
  }, {
    answer: () => answers.shift() ?? Response.json(options.answer?.(1) ?? {}),
  });
  const body = { model: "auto", input: "A fox", ...value };
  const answer = await made.upstream.call(callOf({}, {
    endpoint: "embeddings",
    model: options.model ?? "m",
    body: { text: JSON.stringify(body), value: body },
  }));
  return {
    answer,
    // Requests after the first are sent as a stream.
    requests: made.requests.map(({ url, body }, at) => ({
      ...{ url, body: at === 0 ? JSON.parse(body) : {} },
    })),
  };
}

const openai = () => ({
  object: "list",
  data: [{ object: "embedding", index: 0, embedding: [1, 2] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
});
const KINDS: readonly (readonly [
  kind: string,
  provider: {
    readonly model: string;
    readonly answer: unknown;
    /** Place of the length in the request. */
    readonly length: (body: Record<string, unknown>) => unknown;
    readonly tokens: number | undefined;
  },
])[] = [
  ["azure", { model: "m", answer: openai(), length: (body) => body["dimensions"], tokens: 3 }],
  ["mistral", {
    model: "codestral-embed",
    answer: openai(),
    length: (body) => body["output_dimension"],
    tokens: 3,
  }],
  ["cohere", {
    model: "embed-v4.0",
    answer: { embeddings: { float: [[1, 2]] }, meta: { billed_units: { input_tokens: 3 } } },
    length: (body) => body["output_dimension"],
    tokens: 3,
  }],
  ["google", {
    model: "gemini-embedding-001",
    answer: { embedding: { values: [1, 2] } },
    length: (body) => body["outputDimensionality"],
    tokens: undefined,
  }],
  ["google-vertex", {
    model: "text-embedding-005",
    answer: {
      predictions: [{ embeddings: { values: [1, 2], statistics: { token_count: 3 } } }],
    },
    length: (body) => Object(body["parameters"])["outputDimensionality"],
    tokens: 3,
  }],
  ["amazon-bedrock", {
    model: "amazon.titan-embed-text-v2:0",
    answer: { embedding: [1, 2], inputTextTokenCount: 3 },
    length: (body) => body["dimensions"],
    tokens: 3,
  }],
];

for (const [kind, { answer: sent, length, model, tokens }] of KINDS) {
  Deno.test(`${kind} embeds a text with the length asked for`, async () => {
    const { answer, requests } = await send(kind, { dimensions: 256 }, {
      model,
      answer: () => sent,
    });
    assert(answer.kind === "json", JSON.stringify(answer));
    assertEquals(answer.body.value["data"], [
      { object: "embedding", index: 0, embedding: [1, 2] },
    ]);
    assertEquals(answer.usage?.inputTokens, tokens);
    assertEquals(requests.length, 1);
    assertEquals(length(requests[0]?.body ?? {}), 256);
  });
}

Deno.test("more texts than a model takes at once are sent in several requests, in order", async () => {
  const input = Array.from({ length: 70 }, (_, at) => `${at}`);
  const answers = [32, 32, 6].map((count, part) =>
    Response.json({
      object: "list",
      data: Array.from({ length: count }, (_, at) => ({
        ...{ object: "embedding", index: at, embedding: [part * 32 + at] },
      })),
      usage: { prompt_tokens: count, total_tokens: count },
    })
  );
  const { answer, requests } = await send("mistral", { input }, { answers });
  assert(answer.kind === "json", JSON.stringify(answer));
  const { data } = Object(answer.body.value);
  assertEquals(
    data.map(({ index, embedding: [value] }: { index: number; embedding: number[] }) => [
      ...[index, value],
    ]),
    input.map((_, at) => [at, at]),
  );
  assertEquals([answer.usage?.inputTokens, requests.length], [70, 3]);
  assertEquals(requests[0]?.body["input"], input.slice(0, 32));
});

Deno.test("one failed request fails the call", async () => {
  const input = Array.from({ length: 40 }, (_, at) => `${at}`);
  const full = {
    object: "list",
    data: Array.from({ length: 32 }, (_, index) => ({ index, embedding: [1] })),
    usage: { prompt_tokens: 3, total_tokens: 3 },
  };
  const refused = Response.json({ message: "Slow down" }, { status: 429 });
  const { answer } = await send("mistral", { input }, { answers: [Response.json(full), refused] });
  assert(answer.kind === "failure");
  assertEquals(answer.outcome, "rate_limited");
});

Deno.test("token ids are refused, and unknown options are reported", async () => {
  const { answer, requests } = await send("mistral", { input: [1, 2] });
  assert(answer.kind === "failure");
  assertEquals([answer.outcome, answer.param, requests.length], ["refused_input", "input", 0]);
  const known = await send("cohere", { input_type: "search_document", seed: 1 }, {
    answer: () => ({
      embeddings: { float: [[1]] },
      meta: { billed_units: { input_tokens: 1 } },
    }),
  });
  assert(known.answer.kind === "json");
  assertEquals(known.requests[0]?.body["input_type"], "search_document");
  assertEquals(known.answer.body.value["upstream_warnings"], [
    ...['"seed" is not supported and was left out'],
  ]);
});

Deno.test("a provider without embeddings fails without a request", async () => {
  const { answer, requests } = await send("anthropic", {});
  assert(answer.kind === "failure");
  assertEquals([answer.outcome, requests.length], ["server_error", 0]);
});
