import { assertEquals } from "@std/assert";
import { patternText, textChunkPattern } from "./text_chunk.ts";

function chunk(delta: unknown, rest: Readonly<Record<string, unknown>> = {}): string {
  const choices = [{ index: 0, delta, finish_reason: null }];
  return JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, choices, ...rest });
}

function patternOf(text: string) {
  return textChunkPattern(text, JSON.parse(text));
}

Deno.test("a chunk of the same pattern gives its text, however it is written", () => {
  const pattern = patternOf(chunk({ content: "a" }));
  if (pattern === undefined) throw new Error("No pattern");
  for (const content of ["", "b", 'say "hi"', "back\\slash", "line\nbreak", "€ 🙂", '","x":"']) {
    assertEquals(patternText(chunk({ content }), pattern), content);
  }
});

Deno.test("a chunk that differs in anything else is of another pattern", () => {
  const pattern = patternOf(chunk({ content: "a" }));
  if (pattern === undefined) throw new Error("No pattern");
  for (
    const other of [
      chunk({ content: "b" }, { id: "d" }),
      chunk({ content: null }),
      chunk({ content: 1 }),
      chunk({ content: "b", refusal: null }),
      chunk({ content: "b", extra: "c" }),
      chunk({ content: "b" }).replace('"b"', '"b","content":"c"'),
      chunk({ content: "b" }).replace('"b"', '"b'),
      chunk({ content: "b" }).replace('"b"', '"b\n"'),
      "",
    ]
  ) {
    assertEquals(patternText(other, pattern), undefined, other);
  }
});

Deno.test("chunks that say more than text have no pattern", () => {
  for (
    const text of [
      chunk({ role: "assistant", content: "a" }),
      chunk({ tool_calls: [] }),
      chunk({ content: "a" }, { usage: { prompt_tokens: 1 } }),
      chunk({ content: "a" }, { choices: [] }),
      chunk({ content: "a" }).replace('"finish_reason":null', '"finish_reason":"stop"'),
      chunk({ content: "a" }).replace('"delta":', '"delta":{},"delta":'),
    ]
  ) {
    assertEquals(patternOf(text), undefined, text);
  }
});
