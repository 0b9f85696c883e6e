import { assertEquals, assertThrows } from "@std/assert";
import { ConfigurationError } from "./errors.ts";
import { tagHeader } from "./tags.ts";

Deno.test("tagHeader() writes tags in order of names", () => {
  assertEquals(tagHeader({}), undefined);
  assertEquals(tagHeader({ team: "search", env: "a=b" }), "env=a=b, team=search");
});

Deno.test("tagHeader() refuses what cannot be a tag, and too many", () => {
  const nine = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`n${at}`, "v"]));
  const bad = [{ "1a": "v" }, { "a b": "v" }, { a: "" }, { a: "b, c=d" }, { a: "\r\n" }, nine];
  for (const tags of [...bad, { ["n".repeat(33)]: "v" }, { a: "v".repeat(65) }]) {
    assertThrows(() => tagHeader(tags), ConfigurationError, "Cannot send");
  }
});
