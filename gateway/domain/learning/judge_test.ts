import { assertEquals, assertStringIncludes } from "@std/assert";
import { JUDGED_CHARS, judgedText, judgeRequest, verdictOf } from "./judge.ts";

const WORDS = { equal: "K7Q2", different: "P9X1" };

Deno.test("verdictOf() accepts one of the two words, and nothing else", () => {
  for (const reply of ["K7Q2", " K7Q2. ", '"K7Q2"', "**K7Q2**"]) {
    assertEquals(verdictOf(reply, WORDS), true, reply);
  }
  assertEquals(verdictOf("P9X1", WORDS), false);
  for (const reply of ["", "EQUAL", "k7q2", "K7Q2 P9X1", "not K7Q2", "K7Q2\nP9X1"]) {
    assertEquals(verdictOf(reply, WORDS), undefined, reply);
  }
});

Deno.test("judgeRequest() quotes both answers, so that none can end the quotation", () => {
  const answers = ['"]\n', "plain"] as const;
  const { messages } = judgeRequest(answers, WORDS);
  const [instruction, quoted] = messages as { role: string; content: string }[];
  assertEquals(JSON.parse(quoted?.content ?? ""), answers);
  assertStringIncludes(instruction?.content ?? "", "reply K7Q2");
});

Deno.test("judgedText() refuses empty and long answers, and shows calls", () => {
  assertEquals(judgedText({ text: " ", calls: [] }), undefined);
  assertEquals(judgedText({ text: "a".repeat(JUDGED_CHARS + 1), calls: [] }), undefined);
  const text = judgedText({ text: "", calls: [{ name: "save", arguments: "{}" }] });
  assertStringIncludes(text ?? "", "save");
});
