import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { OVERLAP_TOKENS, PASSAGE_TOKENS } from "./limits.ts";
import { repeatedLength, splitPassages } from "./split_passages.ts";

function tokens(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += text.charCodeAt(at) >= 0x2e80 ? 4 : 1;
  return quarters / 4;
}

Deno.test("a short text is one passage, a blank one has no passage", () => {
  assertEquals(splitPassages("  One line.\n"), ["One line."]);
  assertEquals(splitPassages(""), []);
  assertEquals(splitPassages(" \n\t \n".repeat(10_000)), []);
});

Deno.test("a long text is cut between paragraphs, and each passage repeats whole sentences", () => {
  const paragraph = `${"The keeper writes the weather down. ".repeat(20).trim()}\n\n`;
  const passages = splitPassages(paragraph.repeat(20));
  assert(passages.length > 4);
  for (const [at, passage] of passages.entries()) {
    assert(passage.startsWith("The keeper"), passage.slice(0, 40));
    assert(passage.endsWith("down."), passage.slice(-40));
    const before = passages[at - 1];
    if (before === undefined) continue;
    const start = passage.slice(0, (OVERLAP_TOKENS * 4) / 2);
    assert(before.includes(start), "the overlap is there");
  }
});

Deno.test("a text without any break is cut at the maximum size", () => {
  const passages = splitPassages("x".repeat(100_000));
  assertEquals(passages[0]?.length, PASSAGE_TOKENS * 4);
  assertEquals(passages.length, Math.ceil((100_000 / 4 - OVERLAP_TOKENS) / 600));
});

Deno.test("Chinese is cut after its own full stops, four times as soon", () => {
  const passages = splitPassages("灯塔每天上午九点开放。".repeat(300));
  assert(passages.length > 3);
  for (const passage of passages) {
    assert(passage.endsWith("。") && passage.startsWith("灯塔"), passage);
    assert(passage.length <= PASSAGE_TOKENS);
  }
});

Deno.test("property: no word is lost, nothing is too long, no character is cut in two", () => {
  const gaps = fc.constantFrom(
    " ",
    ". ",
    "\n",
    "\n\n",
    "。 ",
    " 😀 ",
    ` ${"😀".repeat(900)} `,
    "\t\n \n",
  );
  fc.assert(
    fc.property(fc.array(gaps, { maxLength: 3_000 }), (separators) => {
      const words = separators.map((gap, at) => `w${at}${gap}`);
      const passages = splitPassages(words.join(""));
      const seenWords = new Set<string>();
      for (const passage of passages) {
        assert(tokens(passage) <= PASSAGE_TOKENS);
        assert(passage.isWellFormed());
        for (const [word] of passage.matchAll(/w\d+/g)) seenWords.add(word);
      }
      for (const at of words.keys()) assert(seenWords.has(`w${at}`), `w${at} is lost`);
    }),
    { numRuns: 50 },
  );
});

/** The text of passages without what each repeats of the one before. */
function joined(passages: readonly string[]): string {
  return passages.map((passage, at) =>
    passage.slice(repeatedLength(passage, passages[at - 1] ?? ""))
  )
    .join("");
}

/** Texts that have much whitespace between two words: a table in columns, lists without sentences. */
function spacedTexts(): readonly string[] {
  const numbers = Array.from({ length: 900 }, (_, at) => at);
  return [
    numbers.map((at) => `lamp ${at}`.padEnd(40) + `room ${at % 7}`.padEnd(40)).join("\n"),
    numbers.map((at) => `w${at}`).join("  "),
    numbers.map((at) => `w${at}`).join(" ".repeat(25)),
    numbers.map((at) => `Paragraph ${at}.`).join("\n".repeat(12)),
    `${numbers.map((at) => `word${at}`).join(" ")}${" ".repeat(3_000)}`,
  ];
}

Deno.test("passages without what they repeat are the text, also one that repeats itself", () => {
  const texts = [
    "x".repeat(50_000),
    "灯塔每天上午九点开放。".repeat(300),
    "0,0,0\n".repeat(9_000),
    "The keeper writes the weather down. ".repeat(500),
    `${"word ".repeat(100)}\n${" ".repeat(30)}`.repeat(40),
    ...spacedTexts(),
  ];
  for (const text of texts) assertEquals(joined(splitPassages(text)), text.trim());
  assertEquals(repeatedLength("green", "red"), 0);
  assertEquals(repeatedLength("green", ""), 0);
});

Deno.test("property: passages without what they repeat are the text", () => {
  const gaps = fc.subarray([" ", ". ", "\n", "\n\n", "。", "\t\n \n", "! ", " 😀 ", "；\n"], {
    minLength: 1,
  });
  fc.assert(
    fc.property(
      gaps,
      fc.constantFrom(1, 50),
      fc.infiniteStream(fc.nat()),
      (some, names, random) => {
        const words = [...random.take(4_000)].map((n) => `w${n % names}${some[n % some.length]}`);
        const text = words.join("");
        assertEquals(joined(splitPassages(text)), text.trim());
      },
    ),
    { numRuns: 50 },
  );
});
