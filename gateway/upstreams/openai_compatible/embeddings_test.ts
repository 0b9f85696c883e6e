import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import type { EmbeddingsConfig, UpstreamConfig } from "../../domain/catalog/catalog.ts";
import type { Embedded } from "../../ports/embedder.ts";
import { MAX_EMBEDDINGS_BYTES, OpenAICompatibleEmbedder } from "./embeddings.ts";

interface RecordedRequest {
  readonly path: string;
  readonly authorization: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

type Answer = (requests: RecordedRequest, request: Request) => Response | Promise<Response>;

interface Options {
  readonly config?: Partial<EmbeddingsConfig>;
  readonly upstream?: Partial<UpstreamConfig>;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const KEY = "sk-of-the-operator";

/** Embeds two texts with a server that gives this answer; tells what it was asked. */
async function embed(answer: Answer, options: Options = {}) {
  const requests: RecordedRequest[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { headers, url } = request;
      const body = await request.json();
      requests.push({
        path: new URL(url).pathname,
        authorization: headers.get("authorization"),
        body,
      });
      return await answer({ path: "", authorization: null, body }, request);
    },
  );
  const { signal = new AbortController().signal, timeoutMs = 10_000 } = options;
  const upstream: UpstreamConfig = {
    id: "lab",
    kind: "openai-compatible",
    provider: "lab",
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1/`,
    apiKey: KEY,
    maxInFlight: 1,
    onDisconnect: "cancel",
    timeouts: { connectMs: 1_000, firstByteMs: 1_000, idleMs: 1_000 },
    ...options.upstream,
  };
  const embedder = new OpenAICompatibleEmbedder(
    { upstream: "lab", model: "tiny", ...options.config },
    {
      upstream,
      env: (name) => options.env?.[name],
      clock: { nowMs: () => 0, monotonicMs: () => 0 },
    },
  );
  try {
    const embedded = await embedder.embed(["one", "two"], { signal, timeoutMs });
    return { embedded, requests, space: embedder.space };
  } finally {
    await server.shutdown();
  }
}

function entries(...embeddings: unknown[]): Response {
  return Response.json({
    object: "list",
    data: embeddings.map((embedding, index) => ({ object: "embedding", index, embedding })),
  });
}

function base64(...values: number[]): string {
  return new Uint8Array(new Float32Array(values).buffer).toBase64();
}

function vectorsIn(embedded: Embedded): number[][] {
  assert(embedded.kind === "vectors", JSON.stringify(embedded));
  const { dimensions, values } = embedded;
  return Array.from(
    { length: values.length / dimensions },
    (_, at) => [...values.slice(at * dimensions, (at + 1) * dimensions)],
  );
}

function failureIn(embedded: Embedded) {
  assert(embedded.kind === "failure");
  assertEquals(embedded.message.includes(KEY), false);
  return embedded;
}

Deno.test("texts become vectors of the norm 1, in their order, as numbers or as base64", async () => {
  const { requests, embedded, space } = await embed(() =>
    Response.json({
      data: [{ index: 1, embedding: [0, -2] }, { index: 0, embedding: base64(3, 4) }],
    })
  );
  assertEquals(vectorsIn(embedded), [[Math.fround(0.6), Math.fround(0.8)], [0, -1]]);
  assertEquals(space, "tiny@default");
  assertEquals(requests, [{
    path: "/v1/embeddings",
    authorization: `Bearer ${KEY}`,
    body: { model: "tiny", input: ["one", "two"] },
  }]);
});

Deno.test("dimensions are asked for and held to; of OpenAI's own server base64 is asked for", async () => {
  const options = { config: { dimensions: 2 }, upstream: { kind: "openai" as const } };
  const { requests, embedded, space } = await embed(
    () => entries(base64(1, 0), base64(0, 1)),
    options,
  );
  assertEquals(vectorsIn(embedded), [[1, 0], [0, 1]]);
  assertEquals(space, "tiny@2");
  const { dimensions, encoding_format } = requests[0]?.body ?? {};
  assertEquals([dimensions, encoding_format], [2, "base64"]);
  const other = await embed(() => entries([1, 0, 0], [0, 1, 0]), options);
  assertMatch(failureIn(other.embedded).message, /3 numbers, not 2$/);
});

const MALFORMED: readonly [string, () => Response, RegExp][] = [
  ["too few", () => entries([1, 0]), /1 embeddings for 2 texts/],
  ["too many", () => entries([1], [1], [1]), /3 embeddings for 2 texts/],
  ["of different lengths", () => entries([1, 0], [1]), /of 1 numbers, not 2/],
  ["empty", () => entries([], []), /of 0 numbers/],
  ["too long", () => entries(base64(...Array(4_097).fill(1)), base64(1)), /of 4097 numbers/],
  ["no numbers", () => entries(["a"], [1]), /data: 0: embedding/],
  ["not finite", () => new Response('{"data":[{"index":0,"embedding":[1e999]}]}'), /embedding/],
  ["NaN", () => new Response('{"data":[{"index":0,"embedding":[NaN]}]}'), /cannot be used/],
  ["NaN in base64", () => entries(base64(NaN), base64(1)), /points nowhere/],
  ["zero", () => entries([0, 0], [1, 0]), /points nowhere/],
  ["no base64", () => entries([1], "???"), /broken numbers/],
  ["half a number", () => entries([1], "AAAAAAA="), /broken numbers/],
  [
    "twice the same",
    () => Response.json({ data: [0, 0].map((index) => ({ index, embedding: [1] })) }),
    /no embedding of every text/,
  ],
  [
    "out of range",
    () => Response.json({ data: [0, 2].map((index) => ({ index, embedding: [1] })) }),
    /no embedding of every text/,
  ],
  ["no JSON", () => new Response("<html>"), /cannot be used/],
  [
    "announced as huge",
    () => new Response("{}".padEnd(MAX_EMBEDDINGS_BYTES + 1)),
    /longer than 16777216 bytes/,
  ],
];

for (const [name, answer, message] of MALFORMED) {
  Deno.test(`an answer is refused whose embeddings are ${name}`, async () => {
    const { outcome, ...failure } = failureIn((await embed(answer)).embedded);
    assertEquals([outcome, failure.status], ["malformed", 200]);
    assertMatch(failure.message, message);
    assertMatch(failure.message, /^Cannot embed with "tiny" of upstream "lab": its answer /);
  });
}

/** A body that continues until its reader cancels it. */
function endless(piece: string, options: { everyMs: number }): Response {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const bytes = new TextEncoder().encode(piece);
  return new Response(
    new ReadableStream({
      pull(controller) {
        const { promise, resolve } = Promise.withResolvers<void>();
        timer = setTimeout(() => {
          controller.enqueue(bytes);
          resolve();
        }, options.everyMs);
        return promise;
      },
      cancel: () => clearTimeout(timer),
    }),
  );
}

Deno.test("an endless answer ends by its size, a slow one by the time", async () => {
  const flood = await embed(() => endless(" ".repeat(1024 * 1024), { everyMs: 0 }));
  assertMatch(failureIn(flood.embedded).message, /longer than/);
  const drip = await embed(() => endless(" ", { everyMs: 5 }), { timeoutMs: 50 });
  assertEquals(failureIn(drip.embedded).outcome, "timeout");
});

Deno.test("errors of the server are distinguished, without the key", async () => {
  const error = (status: number, headers = {}) => () =>
    Response.json({ error: { message: `No: ${KEY}`, code: "x" } }, { status, headers });
  const wrongKey = failureIn((await embed(error(401))).embedded);
  assertEquals([wrongKey.outcome, wrongKey.status], ["refused_credentials", 401]);
  assertMatch(wrongKey.message, /upstream "lab": it answered 401: No: \[redacted\]$/);
  const busy = failureIn((await embed(error(429, { "retry-after": "7" }))).embedded);
  assertEquals([busy.outcome, busy.retryAfterMs], ["rate_limited", 7_000]);
  assertEquals(failureIn((await embed(error(400))).embedded).outcome, "refused_input");
  assertEquals(failureIn((await embed(error(500))).embedded).outcome, "server_error");
  const moved = () => new Response(null, { status: 307, headers: { location: "/elsewhere" } });
  const { requests, embedded } = await embed(moved);
  assertEquals([failureIn(embedded).status, requests.length], [307, 1]);
});

Deno.test("an unreachable server and a wrong key are reported", async () => {
  const closed = { upstream: { baseUrl: "http://127.0.0.1:1/v1" } };
  assertEquals(
    failureIn((await embed(() => entries(), closed)).embedded).outcome,
    "connect_failed",
  );
  const named = { apiKeyEnv: "LAB_KEY" };
  for (const env of [{}, { LAB_KEY: "two\nlines" }]) {
    const options = { upstream: { ...named, apiKey: undefined }, env };
    const { requests, embedded } = await embed(() => entries(), options);
    const failure = failureIn(embedded);
    assertEquals([failure.outcome, requests.length], ["refused_credentials", 0]);
    assertMatch(failure.message, /no usable key in the environment variable LAB_KEY$/);
  }
  const fromFile = { upstream: { ...named, apiKey: undefined }, env: { LAB_KEY: "key\n" } };
  const { requests } = await embed(() => entries([1], [1]), fromFile);
  assertEquals(requests[0]?.authorization, "Bearer key");
});

Deno.test("an abort is not kept waiting", async () => {
  const leaving = new AbortController();
  const waiting = embed(() => {
    leaving.abort(new Error("Left"));
    return endless(" ", { everyMs: 5 });
  }, { signal: leaving.signal });
  await assertRejects(() => waiting, Error, "Left");
  await assertRejects(() => embed(() => entries(), { signal: leaving.signal }), Error, "Left");
});
