import { assertEquals, assertThrows } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import { tagsOfHeader } from "./known_tags.ts";

Deno.test("a header has the same tags each time, however many others come between", () => {
  const last = ["b=2, a=1", " a=1,b=2", "a=2"];
  const expected = ["a=1,b=2", "a=1,b=2", "a=2"];
  assertEquals(tagsOfHeader(null), undefined);
  for (let round = 0; round < 3; round++) {
    assertEquals(last.map(tagsOfHeader), expected);
    for (let other = 0; other < 1_000; other++) {
      assertEquals(tagsOfHeader(`call=${round}-${other}`), `call=${round}-${other}`);
    }
  }
  const padded = `a=1${" ".repeat(2_000)}`;
  for (let round = 0; round < 2; round++) assertEquals(tagsOfHeader(padded), "a=1");
});

Deno.test("a header that is malformed is refused each time", () => {
  for (let round = 0; round < 2; round++) assertThrows(() => tagsOfHeader("no tag"), ServiceFault);
});
