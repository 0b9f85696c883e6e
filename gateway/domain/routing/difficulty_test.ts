import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { difficultyOf, type DifficultySignals } from "./difficulty.ts";

const NONE: DifficultySignals = { textBytes: 20, tools: 0, schema: false, effort: undefined };

function of(content: string, signals: Partial<DifficultySignals> = {}): number {
  return difficultyOf([{ role: "user", content }], { ...NONE, ...signals });
}

function assertNear(actual: number, expected: number): void {
  assert(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);
}

const TEXTS: readonly (readonly [string, number])[] = [
  ["Hello", 0.05],
  ["Why? How? Who?", 0.13],
  ["Sort a list in Python", 0.2],
  ["用函数排序列表", 0.2],
  ["What is the integral of x", 0.25],
  ["Prove it", 0.3],
  ["Prove it and analyze the trade-offs", 0.5],
  ["设计并证明，分析复杂度与策略", 0.5],
  ["First boil water, then add tea", 0.15],
  ["Translate this", 0],
];

for (const [text, expected] of TEXTS) {
  Deno.test(`difficultyOf() reads "${text}"`, () => assertNear(of(text), expected));
}

const SIGNALS: readonly (readonly [string, Partial<DifficultySignals>, number])[] = [
  ["1 KB of text", { textBytes: 1_024 }, 0.15],
  ["a very long text", { textBytes: 10_000_000 }, 0.4],
  ["a schema", { schema: true }, 0.1],
  ["two tools", { tools: 2 }, 0.12],
  ["many tools", { tools: 50 }, 0.2],
  ["minimal effort", { effort: "minimal" }, 0],
  ["high effort", { effort: "high" }, 0.3],
  ["an effort nobody knows", { effort: 7 }, 0.05],
];

for (const [name, signals, expected] of SIGNALS) {
  Deno.test(`difficultyOf() counts ${name}`, () => {
    assertNear(of("Hello", signals), expected);
  });
}

Deno.test("difficultyOf() reads the last message of the user, in parts or whole", () => {
  const prove = [{ type: "text", text: "Prove" }, { type: "image_url" }, {
    type: "text",
    text: "it",
  }];
  assertNear(difficultyOf([{ role: "user", content: prove }], NONE), 0.3);
  const later = [
    { role: "user", content: "Prove it" },
    { role: "assistant", content: "Prove" },
    { role: "user", content: "Thanks" },
    { role: "tool", content: "Prove" },
  ];
  assertNear(difficultyOf(later, NONE), 0.05);
  assertNear(difficultyOf([{ role: "user", content: null }], NONE), 0.05);
  assertNear(difficultyOf([], NONE), 0.05);
});

Deno.test("difficultyOf() reads no more than the ends of a long text", () => {
  const filler = "la ".repeat(100_000);
  assertNear(of(`${filler} prove ${filler}`), 0.05);
  assertNear(of(`prove ${filler}`), 0.3);
  assertNear(of(`${filler} prove`), 0.3);
  const parts = Array.from({ length: 5_000 }, () => ({ type: "text", text: "la la la " }));
  const content = [...parts, { type: "text", text: "prove" }];
  assertEquals(difficultyOf([{ role: "user", content }], NONE), 0.05);
});

Deno.test("difficultyOf() is between 0 and 1 and repeats itself", () => {
  const words = fc.constantFrom("prove", "debug", "∫", "```", "?", "翻译", "1) ", "\n", "SELECT");
  const text = fc.array(words, { maxLength: 40 }).map((list) => list.join(" "));
  const effort = fc.constantFrom("none", "xhigh", undefined, null);
  fc.assert(fc.property(text, effort, fc.nat(), fc.nat(99), (content, level, textBytes, tools) => {
    const once = of(content, { effort: level, textBytes, tools, schema: true });
    assert(once >= 0 && once <= 1);
    assertEquals(of(content, { effort: level, textBytes, tools, schema: true }), once);
  }));
});
