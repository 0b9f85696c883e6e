import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { atOnce } from "../../domain/redaction/steps.ts";
import { base64Of, isEmbeddingsAnswer, vectorTextSteps } from "./vectors.ts";

type Entry = { readonly index?: unknown; readonly embedding?: unknown };

function read(data: unknown, more: Partial<Parameters<typeof vectorTextSteps>[1]> = {}) {
  const count = Array.isArray(data) ? data.length : 1;
  return atOnce(vectorTextSteps({ data }, { count, encoding: "float", ...more }));
}

Deno.test("numbers keep their text, and each vector comes at the place of its input", () => {
  const data = [{ index: 1, embedding: [0.1, -2e-7] }, { index: 0, embedding: [1, 2] }];
  assertEquals(read(data), { dimensions: 2, texts: ["[1,2]", "[0.1,-2e-7]"] });
  // An upstream that sends no index has them in order.
  const bare = data.map(({ embedding }) => ({ embedding }));
  assertEquals(read(bare), { dimensions: 2, texts: ["[0.1,-2e-7]", "[1,2]"] });
});

Deno.test("vectors pass from one encoding to the other without a loss", () => {
  fc.assert(fc.property(
    fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1 }),
    (numbers) => {
      const asBase64 = read([{ embedding: numbers }], { encoding: "base64" });
      assert(typeof asBase64 !== "string");
      const embedding: unknown = JSON.parse(asBase64.texts[0] ?? "");
      assertEquals(embedding, base64Of(numbers));
      const back = read([{ embedding }]);
      assert(typeof back !== "string");
      const decoded: number[] = JSON.parse(back.texts[0] ?? "");
      // JSON has no negative zero.
      assertEquals(
        decoded.map((value) => Math.fround(value) + 0),
        numbers.map((value) => value + 0),
      );
    },
  ));
});

Deno.test("base64 that is asked for keeps its text", () => {
  const embedding = base64Of([1, 2]);
  assertEquals(read([{ embedding }], { encoding: "base64" }), {
    ...{ dimensions: 2, texts: [`"${embedding}"`] },
  });
});

const BAD: readonly (readonly [string, unknown, RegExp])[] = [
  ["no list", {}, /^0 embeddings for 1 inputs/],
  ["no entry", [null], /neither numbers nor base64/],
  ["an index twice", [{ index: 0, embedding: [1] }, { index: 0, embedding: [1] }], /every input/],
  ["an index beyond", [{ index: 1, embedding: [1] }], /every input/],
  ["an index that is none", [{ index: 0.5, embedding: [1] }], /every input/],
  ["an index that is a name", [{ index: "length", embedding: [1] }], /every input/],
  ["an empty vector", [{ embedding: [] }], /of 0 numbers/],
  ["two lengths", [{ embedding: [1] }, { embedding: [1, 2] }], /of 2 numbers, not 1/],
  ["no number", [{ embedding: [1, "2"] }], /neither/],
  ["too large a number", [{ embedding: [1e300] }], /neither/],
  ["half a float", [{ embedding: "AAA=" }], /neither/],
  ["text that is no base64", [{ embedding: "AAAA????" }], /neither/],
  ["a float that is no number", [{ embedding: base64Of([NaN]) }], /neither/],
  ["an infinite float", [{ embedding: base64Of([Infinity]) }], /neither/],
];

for (const [name, data, problem] of BAD) {
  Deno.test(`vectorTextSteps() refuses ${name}`, () => {
    const result = read(data);
    assert(typeof result === "string" && problem.test(result), JSON.stringify(result));
  });
}

Deno.test("a wrong number or length of vectors is a problem", () => {
  const data: readonly Entry[] = [{ embedding: [1, 2] }];
  assertEquals(read(data, { count: 2 }), "1 embeddings for 2 inputs");
  assertEquals(read(data, { dimensions: 3 }), "an embedding of 2 numbers, not 3");
});

Deno.test("isEmbeddingsAnswer() looks at the shape alone", () => {
  for (const data of [undefined, [], {}, [{}], [{ embedding: 1 }]]) {
    assertEquals(isEmbeddingsAnswer({ data }), false);
  }
  assertEquals(isEmbeddingsAnswer({ data: [{ embedding: [] }, { embedding: "" }] }), true);
});
