import { assert, assertAlmostEquals, assertEquals, assertNotEquals } from "@std/assert";
import type { UpstreamAnswer } from "../../ports/upstream.ts";
import { vectorOf } from "./embeddings.ts";
import { createSimulator } from "./mod.ts";

const CONFIG = {
  id: "sim",
  kind: "simulator",
  provider: "sim",
  maxInFlight: 1,
  onDisconnect: "cancel",
  timeouts: { connectMs: 20, firstByteMs: 20, idleMs: 20 },
} as const;
const clock = { nowMs: () => 0, monotonicMs: () => 0 };

function send(value: Record<string, unknown>): Promise<UpstreamAnswer> {
  return createSimulator(CONFIG, { clock }).call({
    endpoint: "embeddings",
    model: "sim-embed",
    body: { text: JSON.stringify(value), value },
    stream: false,
    requestId: "req_1",
    signal: new AbortController().signal,
  });
}

function dot(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

Deno.test("vectors have length 1, and equal texts have equal ones", () => {
  for (const text of ["", " ", "a", "Ein Haus am See", "一只猫在沙发上", "?!"]) {
    for (const length of [1, 8, 512]) {
      const vector = vectorOf(text, length);
      assertEquals(vector, vectorOf(text, length));
      assertAlmostEquals(dot(vector, vector), 1, 1e-5, `${text} ${length}`);
    }
  }
});

Deno.test("texts with common words are nearer than others, in several scripts", () => {
  const rows = [
    ["How do I reset my password?", "Resetting a password", "Opening hours of the shop"],
    ["Der Vertrag endet im Mai", "Ende des Vertrags", "Rezept für Kuchen"],
    ["一只猫在沙发上睡觉", "沙发上的猫", "利率上升了"],
  ] as const;
  for (const [text, near, far] of rows) {
    const [one, two, three] = [text, near, far].map((one) => vectorOf(one, 512));
    assert(dot(one ?? [], two ?? []) > dot(one ?? [], three ?? []) + 0.1, text);
  }
  assertNotEquals(vectorOf("a cat", 64), vectorOf("a dog", 64));
});

Deno.test("a request is answered in its form, with its tokens", async () => {
  const answer = await send({ input: ["a cat", "a dog"], dimensions: 4 });
  assert(answer.kind === "json");
  assertEquals(answer.usage, { inputTokens: 4, cachedInputTokens: 0, outputTokens: 0 });
  const coded = await send({ input: [7, 8], dimensions: 4, encoding_format: "base64" });
  assert(coded.kind === "json");
  const [first] = JSON.parse(coded.body.text).data;
  assertEquals(Uint8Array.fromBase64(first.embedding).length, 16);
});

Deno.test("requests that it cannot answer, and misbehaviour that was asked for, are failures", async () => {
  const rows: readonly (readonly [Record<string, unknown>, string, string | undefined])[] = [
    [{ input: 5 }, "refused_input", "input"],
    [{ input: [] }, "refused_input", "input"],
    [{ input: ["a", 5] }, "refused_input", "input"],
    [{ input: "a", dimensions: 513 }, "refused_input", "dimensions"],
    [{ input: "a", simulate: { error: 503 } }, "server_error", undefined],
    [{ input: 'a [[sim {"error": 429}]]' }, "rate_limited", undefined],
  ];
  for (const [value, outcome, param] of rows) {
    const answer = await send(value);
    assert(answer.kind === "failure", JSON.stringify(value));
    assertEquals([answer.outcome, answer.param], [outcome, param], JSON.stringify(value));
  }
});
