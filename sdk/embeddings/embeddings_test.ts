import { assertEquals, assertRejects } from "@std/assert";
import { ConfigurationError, ServiceAPIError } from "../mod.ts";
import { json, metadata, scripted } from "../scripted_service_test.ts";

function answer(...embeddings: readonly unknown[]) {
  const data = embeddings.map((embedding, index) => ({ object: "embedding", index, embedding }));
  const usage = { prompt_tokens: 2, total_tokens: 2 };
  return { object: "list", data, model: "m", usage, metadata: metadata("req-1", "2.0") };
}

Deno.test("embeddings.create() sends every form of input with the model auto", async () => {
  const inputs = ["a", ["a", "b"], [1, 2], [[1], [2]]];
  const { client, sent } = scripted(json(answer([1])));
  for (const input of inputs) {
    const { data, requestId } = await client.embeddings.create({ input, dimensions: 1 });
    assertEquals([data[0]?.embedding, requestId], [[1], "req-1"]);
  }
  assertEquals(
    sent.map(({ json }) => json),
    inputs.map((input) => ({ model: "auto", input, dimensions: 1 })),
  );
});

Deno.test("embeddings.create() decodes base64", async () => {
  const base64 = new Uint8Array(new Float32Array([0.5, -2]).buffer).toBase64();
  const { client } = scripted(json(answer(base64, [3, 4])));
  const { data } = await client.embeddings.create({ input: ["a"], encoding_format: "base64" });
  assertEquals(data.map(({ embedding }) => embedding), [[0.5, -2], [3, 4]]);
});

Deno.test("embeddings.create() refuses answers without vectors", async () => {
  for (const odd of ["AAA", "", "?", 5, [1, "x"], null]) {
    const { client } = scripted(json(answer(odd)));
    await assertRejects(() => client.embeddings.create({ input: "a" }), ServiceAPIError);
  }
});

Deno.test("embeddings refuse a value that is not a request", async () => {
  const { client: { embeddings }, sent } = scripted(json(answer([1])));
  await assertRejects(
    // As plain JavaScript may call it.
    () => Reflect.apply(embeddings.create, embeddings, ["A cat"]),
    ConfigurationError,
    "no object",
  );
  assertEquals(sent, []);
});
