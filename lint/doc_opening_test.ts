import { assertEquals } from "@std/assert";
import { docOpening } from "./doc_opening.ts";

const PLUGIN: Deno.lint.Plugin = { name: "svc", rules: { "doc-opening": docOpening } };

/** Returns the messages about a source. */
function messages(source: string): string[] {
  return Deno.lint.runPlugin(PLUGIN, "gateway/a.ts", source).map(({ message }) => message);
}

const OPENING = "A documentation comment begins with a relative clause";

for (
  const opening of [
    ...[
      "What the caller sent",
      "Whatever is left",
      "Who calls",
      "Whoever asks",
      "Whose turn it is",
    ],
    ...["Whether it is open", "Where it stands", "Wherever it is", "How often it runs", "However"],
  ]
) {
  Deno.test(`doc-opening refuses "${opening.split(" ")[0]}" at the start of a doc comment`, () => {
    assertEquals(messages(`/** ${opening}. */\nconst a = 1;`).includes(OPENING), true);
    const lines = `/**\n * ${opening}, over several lines.\n *\n * @module\n */\n`;
    assertEquals(messages(lines).includes(OPENING), true);
  });
}

Deno.test("doc-opening accepts statements, questions, and clauses later in a comment", () => {
  for (
    const doc of [
      ...["True when the store is open.", "Returns what the caller sent.", "Maximum, in bytes."],
      ...["Whatsit of a widget.", "Howl of the wind.", "What does this cost? See the price list."],
      ...["Stores the response. Where it fails, returns false."],
    ]
  ) {
    assertEquals(messages(`/** ${doc} */\nconst a = 1;`), [], doc);
  }
});

Deno.test("doc-opening reads only doc comments for openings", () => {
  assertEquals(messages("// What follows is sorted.\nf();"), []);
  assertEquals(messages("/* Whether this is a doc comment: no. */\nf();"), []);
  assertEquals(messages('const text = "/** What is it */";'), []);
});

Deno.test("doc-opening refuses the listed phrases in every kind of comment", () => {
  for (
    const [phrase, comment] of [
      ["nobody", "// It is nobody's."],
      ["Whoever", "/* Whoever reads it */"],
      ["is told", "/** The caller is told. */"],
      ["were told", "// They were told so."],
      ["the one's", "// It takes the one's id."],
      ["good-bye", "// Waits for the good-bye."],
      ["goodbye", "// Waits for the goodbye."],
    ]
  ) {
    assertEquals(messages(`${comment}\nf();`).filter((text) => text !== OPENING), [
      `A comment says "${phrase}"`,
    ]);
  }
  assertEquals(messages("// The caller retold it; busybody and nobodyElse are words.\nf();"), []);
});
