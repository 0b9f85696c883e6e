import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { OVERLAP_TOKENS, PASSAGE_TOKENS } from "./limits.ts";
import { splitPassages } from "./split_passages.ts";

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
