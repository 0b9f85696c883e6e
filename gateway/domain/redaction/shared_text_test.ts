import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { SHARED, withoutShared } from "./shared_text.ts";

function cut(words: string, value: unknown): string {
  const steps = withoutShared(words, value);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const chat = (content: unknown) => ({ model: "auto", messages: [{ role: "user", content }] });

Deno.test("a request's text is cut from an upstream's message in any encoding", () => {
  const prompt = "My grandmother's recipe: 3 eggs, 200 g of flour and a secret\ningredient";
  const cases: readonly [string, unknown, string][] = [
    [`Rejected: ${prompt}!`, chat(prompt), `Rejected: ${SHARED}!`],
    // A part of it, and JSON within JSON.
    ["near 200 g of flour and a secret, col 5", chat(prompt), `near${SHARED}, col 5`],
    [JSON.stringify({ m: prompt }), chat(prompt), `{"m":"${SHARED}"}`],
    [
      "bad prompt 我的银行密码是四七一一请勿外传",
      chat("我的银行密码是四七一一请勿外传，谢谢"),
      `bad prompt ${SHARED}`,
    ],
    // Short, but quoted or whole.
    [
      "Cannot use 'swordfish' here",
      chat("the word is swordfish, says he"),
      `Cannot use '${SHARED}' here`,
    ],
    ["flagged: swordfish.", chat([{ type: "text", text: "swordfish" }]), `flagged: ${SHARED}.`],
  ];
  for (const [words, value, expected] of cases) assertEquals(cut(words, value), expected);
});

Deno.test("words of the upstream's own stay", () => {
  const words = "The model `gpt-5-mini` is overloaded with other requests for user: test, auto";
  const request = { ...chat("Say hello to all the others"), type: "test", max_tokens: 5 };
  assertEquals(cut(words, request), words);
  assertEquals(cut("the latest automaton", chat("test")), "the latest automaton");
  assertEquals(cut("", chat("x")), "");
});

Deno.test("a long request is looked at in steps, to its end and over their borders", () => {
  const secret = "the combination of the safe is 4711";
  for (const place of [0, 128 * 1024 - 10, 128 * 1024, 400_000]) {
    const text = `${"x y ".repeat(place / 4)}${secret}${" z w".repeat(50_000)}`;
    const steps = withoutShared(`No: ${secret}?`, chat(text));
    let count = 0;
    let step = steps.next();
    for (; !step.done; step = steps.next()) count++;
    assertEquals(step.value.includes("4711"), false, `${place}: ${step.value}`);
    assertStringIncludes(step.value, SHARED);
    assert(count >= 1);
  }
});

Deno.test("repeated text costs no more than its length", () => {
  const words = "a".repeat(2_000);
  assertEquals(cut(words, chat("a".repeat(2_000_000))), SHARED);
  const almost = "aaaaaaaaaaaab".repeat(150);
  assertEquals(cut(almost, chat("caaaaaaaaaaaa".repeat(15_000))), almost);
});
