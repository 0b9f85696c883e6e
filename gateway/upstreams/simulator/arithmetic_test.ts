import { assertEquals } from "@std/assert";
import { expressionsIn } from "./arithmetic.ts";

const CASES: readonly (readonly [string, string[]])[] = [
  ["What is 12 * 3?", ["12 * 3"]],
  ["What is 12*(3+4).", ["12*(3+4)"]],
  ["What is 1,234 plus 5, and 6 times 7?", ["1234 + 5", "6 * 7"]],
  ["12 × 3 ÷ 4 − 1", ["12 * 3 / 4 - 1"]],
  ["3 x 4", ["3 * 4"]],
  ["12乘以3等于多少？", ["12*3"]],
  ["10 除以 4 加 1", ["10 / 4 + 1"]],
  ["(what is 2+2)", ["2+2"]],
  ["((2+3)*4", ["(2+3)*4"]],
  ["- 2 + 3 is a list item", ["2 + 3"]],
  ["-2 + 3 -", ["-2 + 3"]],
  ["2 divided by 3 minus 1", ["2 / 3 - 1"]],
  ["On 2026-05-01 I bought 3 apples for 4 euros.", []],
  ["Hello", []],
  [`${"1+".repeat(200)}1`, []],
];

Deno.test("expressionsIn() finds arithmetic and nothing else", () => {
  for (const [text, expressions] of CASES) assertEquals(expressionsIn(text), expressions, text);
});
