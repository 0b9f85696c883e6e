import { assert, assertEquals } from "@std/assert";
import { COMPOUND_THRESHOLD, judgeCompound } from "./compound.ts";

Deno.test("a comparison of three by several criteria is compound, and says why", () => {
  const judged = judgeCompound(
    "Compare Oslo, Bergen and Tromsø in terms of rent, weather and work, and recommend one.",
  );
  assert(judged.compound);
  const names = judged.signals.map(([signal]) => signal);
  for (const name of ["asks", "subjects", "comparison", "criteria"] as const) {
    assert(names.includes(name), `${name} of ${names}`);
  }
  assertEquals(judged.score, judged.signals.reduce((sum, [, weight]) => sum + weight, 0));
  assert(judged.score >= COMPOUND_THRESHOLD);
});

Deno.test("prompts of every day are simple", () => {
  for (
    const text of [
      "",
      "Hi",
      "Hello, how are you?",
      "What is 2 + 2?",
      "Say hello in French, please.",
      "How do I boil an egg?",
      "Write a story about a dragon, a knight, and a clever mouse.",
      "你好",
      "法国的首都是哪里？",
    ]
  ) assertEquals(judgeCompound(text).compound, false, text);
});

Deno.test("a list alone is not compound: most messages with three commas ask for one thing", () => {
  for (
    const text of [
      "Thanks, that works, great, perfect, see you tomorrow!",
      "Hi there, how are you, my friend, today, on this fine day?",
      "My name is Bob, I live in Oslo, I like tea, and I work at night.",
      "What is the sum of 3, 5, 7, 9 and 11?",
      "Which is the largest: Jupiter, Saturn, Neptune, Uranus or Earth?",
      "Error: cannot read property x of undefined, at foo, at bar, at baz, at main",
      "Ich habe Äpfel, Birnen, Bananen, Kirschen und Pflaumen gekauft.",
      "Привет, меня зовут Иван, я живу в Москве, люблю чай, кофе и какао.",
      "我买了苹果、梨、香蕉、樱桃和李子。",
      "北京、上海、广州、深圳哪个最大？",
    ]
  ) assertEquals(judgeCompound(text).compound, false, text);
  assert(judgeCompound("Explain how Jupiter, Saturn, Uranus and Neptune were formed.").compound);
});

Deno.test("questions in a text that is quoted or given are not the request's", () => {
  const questions = "Why did Rome fall? How did it rise? What came after, and who won?";
  assert(judgeCompound(questions).compound);
  assert(!judgeCompound(`Translate into French: ${questions}`).compound);
  assert(!judgeCompound(`What is the tone of "${questions}"`).compound);
  assert(!judgeCompound(`What does this print?\n\`\`\`\n${questions}\n\`\`\``).compound);
});

Deno.test("equal text is judged equally, and only its ends are read", () => {
  const request = "Compare tea, coffee and cocoa: health effects, history, and trade.";
  const filler = " plain words".repeat(400);
  assertEquals(judgeCompound(request), judgeCompound(request));
  assert(judgeCompound(request + filler).compound);
  assert(judgeCompound(`${filler}\n${request}`).compound);
  assert(!judgeCompound(`${filler}\n${request}\n${filler}`).compound);
});

Deno.test("hostile text is judged like any other", () => {
  for (const piece of ["first ", "先", "what, ", "'", "```", "、", "make a, a, ", "?", "从"]) {
    judgeCompound(piece.repeat(100_000));
  }
});
