import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { countTokens, takeTokens, tokensOf } from "./text_tokens.ts";

Deno.test("tokensOf() cuts words with the space before them", () => {
  assertEquals([...tokensOf("The cat, 2026!")], ["The", " cat", ",", " 202", "6", "!"]);
  assertEquals([...tokensOf("internationally")], ["internat", "ionally"]);
  assertEquals([...tokensOf("привет")], ["при", "вет"]);
  assertEquals([...tokensOf("  ")], ["  "]);
});

Deno.test("tokensOf() takes a wide character as a token and keeps pairs whole", () => {
  assertEquals([...tokensOf("你好😀!")], ["你", "好", "😀", "!"]);
  assertEquals([...tokensOf("\ud83d")], ["\ud83d"]);
});

Deno.test("countTokens() bounds long runs", () => {
  assertEquals(countTokens("a".repeat(800)), 100);
  assertEquals(countTokens(" ".repeat(80)), 10);
  assertEquals(countTokens(""), 0);
});

Deno.test("takeTokens() stops at the limit", () => {
  assertEquals(takeTokens("one two three", 2), { text: "one two", tokens: 2 });
  assertEquals(takeTokens("one", 9), { text: "one", tokens: 1 });
  assertEquals(takeTokens("one", -1), { text: "", tokens: 0 });
});

Deno.test("tokens of any text join to the text, each counted once", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.nat(9), (text, limit) => {
    const tokens = [...tokensOf(text)];
    assertEquals(tokens.join(""), text);
    assertEquals(tokens.length, countTokens(text));
    assertEquals(tokens.every((token) => token.isWellFormed()), text.isWellFormed());
    assertEquals(takeTokens(text, limit).text, tokens.slice(0, limit).join(""));
  }));
});
