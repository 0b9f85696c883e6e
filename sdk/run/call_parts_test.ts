import { assertEquals, assertMatch } from "@std/assert";
import { argumentsText, distinctIds } from "./call_parts.ts";

Deno.test("argumentsText() is JSON text, for any input", () => {
  assertEquals(["{}", "", { a: [1] }, [], 5, null, undefined].map(argumentsText), [
    ...["{}", "", '{"a":[1]}', "[]", "5", "", ""],
  ]);
});

Deno.test("distinctIds() keeps the ids that tell calls apart", () => {
  const [first, second, third, fourth] = distinctIds(["a", "a", 5, "b"]);
  assertEquals([first, fourth], ["a", "b"]);
  for (const id of [second, third]) assertMatch(String(id), /^call_[0-9a-f-]{36}$/);
});
