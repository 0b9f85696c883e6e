import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { plainText } from "./plain_text.ts";

Deno.test("plainText() has no controls, line breaks or hidden characters", () => {
  for (
    const [text, plain] of [
      ["a\u0000b\u001b[31mc\r\n\td\u2028e\u0085f", "a b [31mc d e f"],
      ["  one   two  ", "one two"],
      ["user\u202Egnp.exe\u2066", "usergnp.exe"],
      ["ok\u{E0049}\u{E0047}\u{E004E}", "ok"],
      ["half \uD83D pair", "half \uFFFD pair"],
      ["中文 😀", "中文 😀"],
      ["", ""],
    ] as const
  ) {
    assertEquals(plainText(text, 100), plain);
  }
});

Deno.test("plainText() is cut between characters, and reads little of a huge text", () => {
  assertEquals(plainText("ab😀", 3), "ab");
  assertEquals(plainText("ab😀", 4), "ab😀");
  assertEquals(plainText("ab cd", 3), "ab");
  assertEquals(plainText("x".repeat(10_000_000), 5), "xxxxx");
  assertEquals(plainText("\n".repeat(10_000_000) + "late", 5), "");
});

Deno.test("plainText() is within its length, well formed and clean already", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), fc.nat(50), (text, max) => {
    const plain = plainText(text, max);
    assert(plain.length <= max && plain.isWellFormed());
    assertEquals(plainText(plain, max), plain);
  }));
});
