import { assertEquals } from "@std/assert";
import { plainText } from "./plain_text.ts";

const PLUGIN: Deno.lint.Plugin = { name: "svc", rules: { "plain-text": plainText } };

/** Returns the messages about a source. */
function messages(source: string, filename = "gateway/a_test.ts"): string[] {
  return Deno.lint.runPlugin(PLUGIN, filename, source).map(({ message }) => message);
}

for (
  const [phrase, text] of [
    ["whoever", "a copy for whoever reads it"],
    ["is told", "the caller is told the cost"],
    ["were told", "they were told so"],
    ["the one's", "it has the one's id"],
    ["good-bye", "it waits for the good-bye"],
    ["is let pass", "a difference that is let pass"],
    ["by its side", "a key by its side"],
  ] as const
) {
  Deno.test(`plain-text refuses "${phrase}" in names of tests and in messages`, () => {
    assertEquals(messages(`Deno.test("${text}", () => {});`), [`A text says "${phrase}"`]);
    const template = "f(`${how}: " + text + "`);";
    assertEquals(messages(template, "gateway/a.ts"), [`A text says "${phrase}"`]);
  });
}

Deno.test("plain-text accepts values, plain sentences, comments and the rules themselves", () => {
  const accepted = [
    'get("whoever")',
    'get("?key=nobody")',
    'Deno.test("the caller receives the cost", () => {});',
    "f(/is told/); // whoever",
    "f(1, true, null);",
  ];
  for (const source of accepted) assertEquals(messages(source), [], source);
  assertEquals(messages('f("the caller is told");', "/checkout/lint/a_test.ts"), []);
});
