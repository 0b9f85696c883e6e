import { assert, assertEquals, assertGreater } from "@std/assert";
import fc from "fast-check";
import { createTokenCounter } from "../../tokens/token_counter.ts";
import { fewestTokens } from "./token_floor.ts";

const ALL = { maxChars: 256 * 1024 };
const counter = createTokenCounter();

// Characters that the pattern treats specially, and tokens that are unusually long.
const PARTS = [
  ...[
    "word",
    " word",
    "Word",
    "camelCase",
    "don't",
    "we'",
    "re",
    "'",
    "''",
    "7",
    "42",
    "12345",
    "²",
  ],
  ...[" ", "  ", "\n", "\r\n", " \n ", "\t", "\u00a0", "\u3000", "/", "//", "}", "})", "_", " ("],
  ...[
    "—",
    "。",
    "中文",
    "ありがとうございました",
    "_日本毛片免费视频观看",
    "привет",
    "é",
    "e\u0301",
  ],
  ...[
    "👋🏽",
    "\ud83d",
    "abcdefghijklmnopqrstuvwxyz",
    "-".repeat(64),
    " ".repeat(80),
    "<|endoftext|>",
  ],
];
const texts = fc.array(fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: "grapheme" })), {
  maxLength: 80,
}).map((parts) => parts.join(""));

Deno.test("a text never has fewer tokens, and neither has a continuation of it", async () => {
  await fc.assert(
    fc.asyncProperty(texts, fc.nat(), async (text, at) => {
      const exact = await counter.count(text);
      assert(fewestTokens(text, ALL) <= exact, `${fewestTokens(text, ALL)} of ${exact}`);
      const beginning = text.slice(0, at % (text.length + 1));
      assert(fewestTokens(beginning, ALL) <= exact, "of its beginning");
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("of ordinary text nearly all tokens are counted", async () => {
  const prose =
    "The gateway picks a model, survives the failures of providers, and bills what was used. ";
  const code =
    "for (const [id, hold] of holds) books.holds.set(id, hold);\n  if (x < 10) return;\n";
  for (const text of [prose.repeat(20), code.repeat(20)]) {
    assertGreater(fewestTokens(text, ALL), 0.8 * await counter.count(text));
  }
});

Deno.test("nothing is counted beyond the limit, nor of next to nothing", () => {
  assertEquals(fewestTokens("a b c d e f", { maxChars: 5 }), 2);
  for (const text of ["", "a", " "]) assertEquals(fewestTokens(text, ALL), 0);
});
