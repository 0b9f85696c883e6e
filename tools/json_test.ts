import { assertEquals } from "@std/assert";
import { isJsonObject } from "./json.ts";

Deno.test("only an object with named members is a JSON object", () => {
  for (const value of [{}, { a: 1 }, Object.create(null)]) assertEquals(isJsonObject(value), true);
  for (const value of [null, undefined, [], "{}", 1, true, () => ({})]) {
    assertEquals(isJsonObject(value), false);
  }
});
