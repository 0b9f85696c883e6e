import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  difficultyOf,
  difficultyOfSize,
  type DifficultySignals,
  TYPICAL_DIFFICULTY,
} from "./difficulty.ts";

const NONE: DifficultySignals = { textBytes: 20, tools: 0, schema: false, effort: undefined };

function of(content: string, signals: Partial<DifficultySignals> = {}): number {
  return difficultyOf([{ role: "user", content }], { ...NONE, ...signals });
}

/** Asserts the size, in doublings beside a typical request, that a difficulty stands for. */
function assertSize(difficulty: number, size: number): void {
  assertAlmostEquals(difficulty, difficultyOfSize(size), 1e-9);
}

/** A text of so many letters without a word that is a signal. */
const letters = (count: number) => "la ".repeat(count).replaceAll(" ", "").slice(0, count);

/** A text of 256 letters and symbols that begins with some words. */
function padded(words: string): string {
  return `${words} ${letters(256 - words.replaceAll(" ", "").length)}`;
}

const TEXTS: readonly (readonly [string, string, number])[] = [
  ["a short text, at least -4", "Hello", -4],
  ["the letters of a text, not its spaces and digits", `${letters(256)}${" 123".repeat(99)}`, 0],
  ["one for each doubling of the letters", letters(1_024), 2],
  ["code", padded("return"), 0.3],
  ["mathematics", padded("integral"), 0.2],
  ["mathematics in Chinese", padded("积分"), 0.2],
  ["a word that asks for reasoning", padded("prove"), 0.2],
  ["several such words as one", padded("prove, analyze, 设计"), 0.2],
  ["routine work", padded("translate"), -0.3],
];

for (const [name, text, expected] of TEXTS) {
  Deno.test(`difficultyOf() counts ${name}`, () => {
    assertSize(of(text), expected);
  });
}

const SIGNALS: readonly (readonly [string, Partial<DifficultySignals>, number])[] = [
  ["other text up to 4 KB as nothing", { textBytes: 4_096 }, 0],
  ["each doubling of other text as a quarter", { textBytes: 256 + 4 * 4_096 }, 0.5],
  ["other text as at most 1.5", { textBytes: 10_000_000 }, 1.5],
  ["a schema", { schema: true }, 0.2],
  ["tools, however many", { tools: 50 }, 0.3],
  ["effort none", { effort: "none" }, -2],
  ["minimal effort", { effort: "minimal" }, -1.5],
  ["low effort", { effort: "low" }, -1],
  ["high effort", { effort: "high" }, 2],
  ["xhigh effort", { effort: "xhigh" }, 3],
  ["an unknown effort as nothing", { effort: 7 }, 0],
];

for (const [name, signals, expected] of SIGNALS) {
  Deno.test(`difficultyOf() counts ${name}`, () => {
    assertSize(of(letters(256), { textBytes: 256, ...signals }), expected);
  });
}

Deno.test("difficultyOfSize() is calibrated: a typical request has a quarter, within 0.05 to 0.95", () => {
  assertEquals([difficultyOfSize(0), TYPICAL_DIFFICULTY], [0.25, 0.25]);
  assertAlmostEquals(difficultyOfSize(4), 0.5, 1e-9);
  assertEquals([difficultyOfSize(-100), difficultyOfSize(100)], [0.05, 0.95]);
});

Deno.test("difficultyOf() reads the last message of the user, in parts or whole", () => {
  const text = { type: "text", text: letters(128) };
  const content = [text, { type: "image_url" }, text];
  assertSize(difficultyOf([{ role: "user", content }], NONE), 0);
  const later = [
    { role: "user", content: letters(4_096) },
    { role: "assistant", content: letters(4_096) },
    { role: "user", content: letters(256) },
    { role: "tool", content: letters(4_096) },
  ];
  assertSize(difficultyOf(later, NONE), 0);
  assertSize(difficultyOf([{ role: "user", content: null }], NONE), -4);
  assertSize(difficultyOf([], NONE), -4);
});

Deno.test("difficultyOf() reads words at the ends of a long text only", () => {
  const filler = "la ".repeat(4_000);
  const plain = of(`${filler}lalal${filler}`);
  assertEquals(of(`${filler}prove${filler}`), plain);
  assert(of(`prove ${filler}${filler}`) > plain);
  assert(of(`${filler}${filler} prove`) > plain);
});

Deno.test("difficultyOf() grows with the length of the message", () => {
  fc.assert(fc.property(fc.nat(20_000), fc.nat(20_000), (one, other) => {
    const [short, long] = [Math.min(one, other), Math.max(one, other)];
    assert(of("x".repeat(short)) <= of("x".repeat(long)));
  }));
});

Deno.test("difficultyOf() is between 0.05 and 0.95 and repeats itself", () => {
  const words = fc.constantFrom("prove", "debug", "∫", "```", "?", "翻译", "1) ", "\n", "SELECT");
  const text = fc.array(words, { maxLength: 40 }).map((list) => list.join(" "));
  const effort = fc.constantFrom("none", "xhigh", undefined, null);
  fc.assert(fc.property(text, effort, fc.nat(), fc.nat(99), (content, level, textBytes, tools) => {
    const once = of(content, { effort: level, textBytes, tools, schema: true });
    assert(once >= 0.05 && once <= 0.95);
    assertEquals(of(content, { effort: level, textBytes, tools, schema: true }), once);
  }));
});

/** Texts that make a backtracking pattern slow: a quadratic one would not end within the test. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ["spaces", " ".repeat(5_000_000)],
  ["open brackets with spaces", "{        ".repeat(500_000)],
  ["lines of white space", `${" ".repeat(17)}\n`.repeat(250_000)],
  ["back ticks", "`".repeat(5_000_000)],
  ["half a word", "trade-off".repeat(500_000)],
];

for (const [name, text] of HOSTILE) {
  Deno.test(`difficultyOf() reads five million characters of ${name}`, () => {
    const difficulty = of(text, { textBytes: text.length });
    assert(difficulty >= 0.05 && difficulty <= 0.95);
  });
}
