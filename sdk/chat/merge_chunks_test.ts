import { isJsonObject } from "@svc/tools/json";
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ChatCompletionChunk, ChatDelta } from "../mod.ts";
import { chunk } from "../scripted_service_test.ts";
import { ChunkMerger } from "./merge_chunks.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The message that these deltas add up to. */
function messageOf(...deltas: readonly Fields[]): Fields {
  return merged(...deltas.map((delta) => chunk(delta)), chunk({}, "stop"))?.choices[0]?.message ??
    {};
}

function merged(...chunks: readonly ChatCompletionChunk[]) {
  const merger = new ChunkMerger();
  for (const one of chunks) merger.add(one);
  return merger.completion();
}

const named = (name: string, text: string) => ({ function: { name, arguments: text } });
const more = (text: string) => ({ function: { arguments: text } });
const call = (id: string, name: string, text: string) => ({
  id,
  type: "function",
  ...named(name, text),
});

Deno.test("a completion has what its chunks have, and every choice its own", () => {
  const choice = (
    index: number,
    delta: ChatDelta,
    finish_reason: "stop" | "length" | null = null,
  ) => ({
    ...chunk({}),
    choices: [{ index, delta, finish_reason, logprobs: { content: [index] } }],
  });
  const completion = merged(
    choice(1, { role: "assistant", content: "B" }),
    choice(0, { role: "assistant", content: "A", refusal: null }),
    choice(1, { content: "b" }, "length"),
    choice(0, { content: "a", annotations: [1] }),
    choice(0, { annotations: [2] }, "stop"),
    { ...chunk({}), choices: [], usage: null, service_tier: "default" },
    {
      ...{ ...chunk({}), id: "", model: "" },
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    },
  );
  assertEquals(completion, {
    ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "only" },
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "Aa", refusal: null, annotations: [1, 2] },
        finish_reason: "stop",
        logprobs: { content: [0, 0, 0] },
      },
      {
        index: 1,
        message: { role: "assistant", content: "Bb", refusal: null },
        finish_reason: "length",
        logprobs: { content: [1, 1] },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    service_tier: "default",
  });
});

Deno.test("a completion is incomplete until each choice has ended", () => {
  assertEquals(merged(), undefined);
  assertEquals(merged({ ...chunk({}), choices: [] }), undefined);
  assertEquals(merged(chunk({ content: "Hel" })), undefined);
  assertEquals(
    merged(chunk({}, "stop"), {
      ...chunk({}),
      choices: [
        { index: 1, delta: {}, finish_reason: null },
      ],
    }),
    undefined,
  );
});

Deno.test("a prototype's name is an ordinary field and does not reach the prototype", () => {
  const hostile: Fields = JSON.parse('{"__proto__":{"x":"1"},"constructor":"c","toString":"t"}');
  const message = messageOf(hostile, JSON.parse('{"__proto__":{"x":"2"},"constructor":"d"}'));
  assertEquals(JSON.parse(JSON.stringify(message)), {
    ...{ role: "assistant", content: null, refusal: null },
    ...JSON.parse('{"__proto__":{"x":"12"}}'),
    ...{ constructor: "cd", toString: "t" },
    ["__proto__"]: { x: "12" },
  });
  assertEquals(Object(Object.prototype)["x"], undefined);
});

Deno.test("chunks belong to the reader: merging changes none of them", () => {
  const first = chunk({
    tool_calls: [{ index: 0, ...call("a", "f", "{"), extra_content: { g: {} } }],
  });
  const second = chunk({
    tool_calls: [{ index: 0, ...more("}"), extra_content: { g: { s: 1 } } }],
  });
  const before = structuredClone([first, second]);
  merged(first, second, chunk({}, "stop"));
  assertEquals([first, second], before);
});

/** A text in pieces, none of them empty. */
function cutText(text: string, sizes: readonly number[]): string[] {
  const characters = [...text];
  const pieces: string[] = [];
  for (const size of sizes) {
    if (characters.length > 0) pieces.push(characters.splice(0, size).join(""));
  }
  return characters.length === 0 ? pieces : [...pieces, characters.join("")];
}

/** An object as objects of one leaf each. */
function leaves(value: unknown): unknown[] {
  if (!isJsonObject(value)) return [value];
  return Object.entries(value).flatMap(([name, member]) =>
    leaves(member).map((leaf) => ({ [name]: leaf }))
  );
}

const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 8 });
const word = fc.string({ unit: "grapheme" });
const opaque = fc.dictionary(
  fc.constantFrom("google", "vertex"),
  fc.dictionary(fc.constantFrom("thought_signature", "data"), word, {
    minKeys: 1,
    noNullPrototype: true,
  }),
  { minKeys: 1, noNullPrototype: true },
);
const someCall = fc.record({
  // Of two equal halves beside a repeated id the second is taken for the whole name again.
  name: fc.uniqueArray(fc.constantFrom(..."get_wahr"), { minLength: 1 }).map((all) => all.join("")),
  arguments: word,
  extra: fc.option(opaque),
  signature: fc.option(word),
  sizes,
});

/** A call, and itself in pieces that have `key` in common. */
function inPieces(one: typeof someCall extends fc.Arbitrary<infer T> ? T : never, id: string) {
  const { extra, signature, sizes } = one;
  const whole = {
    ...call(id, one.name, one.arguments),
    ...extra === null ? {} : { extra_content: extra },
    ...signature === null ? {} : { thought_signature: signature },
  };
  const pieces: Fields[] = [
    { id, type: "function", ...named("", "") },
    ...cutText(one.name, sizes).map((name) => ({ function: { name } })),
    ...cutText(one.arguments, sizes).map(more),
    ...leaves(extra ?? {}).map((extra_content) => ({ extra_content })),
    ...signature === null ? [] : [{ thought_signature: signature }],
  ];
  return { whole, pieces };
}

const WAYS: Readonly<Record<string, (index: number, id: string) => Fields>> = {
  "by index": (index) => ({ index }),
  "by id": (_, id) => ({ id }),
  "by index and id": (index, id) => ({ index, id }),
};

for (const [way, key] of Object.entries(WAYS)) {
  Deno.test(`an answer is the same however it is split, its calls ${way}`, () => {
    const answer = fc.tuple(word, sizes, fc.array(someCall, { maxLength: 4 }));
    fc.assert(fc.property(answer, ([text, cuts, some]) => {
      const calls = some.map((one, at) => inPieces(one, `call_${at}`));
      const rows = Math.max(0, ...calls.map(({ pieces }) => pieces.length));
      const message = messageOf(
        ...cutText(text, cuts).map((content) => ({ content })),
        // Round robin: every call is open while the others are.
        ...Array.from({ length: rows }, (_, row) => ({
          tool_calls: calls.flatMap(({ pieces }, at) => {
            const piece = pieces[row];
            return piece === undefined ? [] : [{ ...piece, ...key(at, `call_${at}`) }];
          }),
        })),
      );
      assertEquals(message, {
        ...{ role: "assistant", content: text === "" ? null : text, refusal: null },
        ...calls.length === 0 ? {} : { tool_calls: calls.map(({ whole }) => whole) },
      });
    }));
  });
}
