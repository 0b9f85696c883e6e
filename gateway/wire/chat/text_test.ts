import { assertEquals } from "@std/assert";
import { collectText, requestText } from "./text.ts";

const ADDRESS = `data:image/png;base64,${"A".repeat(1_400)}`;

function charsOf(message: Readonly<Record<string, unknown>>): number {
  const pieces: string[] = [];
  collectText(message, pieces);
  return pieces.join("").length;
}

Deno.test("text that begins like an address of media is text, in requests and in answers", () => {
  const text = `data: ${"word ".repeat(1_000)}`;
  const { length } = text;
  assertEquals(requestText({ messages: [{ role: "user", content: text }] }).length, length);
  assertEquals(requestText({ messages: [{ role: "user", content: ADDRESS }] }), ADDRESS);
  assertEquals(charsOf({ content: text }), length);
  assertEquals(charsOf({ function_call: { arguments: text } }), length);
  assertEquals(charsOf({ tool_calls: [{ custom: { input: text } }] }), length);
  assertEquals(charsOf({ reasoning_details: [{ text }] }), length);
});

Deno.test("arguments that are written as an object are what a model wrote, member by member", () => {
  const input = { output: "word ".repeat(100), id: "word ".repeat(100), data: "word" };
  const { length } = JSON.stringify(input);
  assertEquals(charsOf({ function_call: { arguments: input } }), length);
  assertEquals(charsOf({ tool_calls: [{ id: "c", function: { arguments: input } }] }), length);
});

Deno.test("media in an address counts as a few characters", () => {
  assertEquals(charsOf({ images: [{ image_url: { url: ADDRESS } }] }), 3);
  assertEquals(charsOf({ images: [ADDRESS] }), 3);
});
