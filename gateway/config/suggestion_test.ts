import { assertEquals } from "@std/assert";
import { suggestion } from "./suggestion.ts";

Deno.test("suggestion() ends a sentence with the nearest name, where there is one", () => {
  assertEquals(suggestion("standart", ["basic", "standard"]), '; the nearest is "standard"');
  assertEquals(suggestion("jsn", ["json"], (name) => `--${name}`), '; the nearest is "--json"');
  assertEquals(suggestion("frobnicate", ["create"]), "");
  assertEquals(suggestion("standart", []), "");
});
