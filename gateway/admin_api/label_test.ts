import { assertEquals } from "@std/assert";
import { label } from "./label.ts";

Deno.test("a label is one line of visible text", () => {
  const rows: [string, boolean][] = [
    ["web", true],
    ["  web  ", true],
    ["团队 A 😀", true],
    ["a b", true],
    ["x".repeat(100), true],
    ["", false],
    ["   ", false],
    ["x".repeat(101), false],
    ["a\nb", false],
    ["a\u0000b", false],
    ["a\u200bb", false],
    ["a\u202eb", false],
    ["\ud800", false],
  ];
  for (const [text, isTaken] of rows) {
    assertEquals(label(100).safeParse(text).success, isTaken, JSON.stringify(text));
  }
  assertEquals(label(100).parse("  web  "), "web");
});
