import { assertEquals, assertThrows } from "@std/assert";
import { byteLimit, timeLimit } from "./limits.ts";

Deno.test("an endless limit is the longest that a timer can wait", () => {
  assertEquals(timeLimit("timeoutMs", 5), 5);
  for (const ms of [Infinity, Number.MAX_SAFE_INTEGER, 2 ** 31]) {
    assertEquals(timeLimit("timeoutMs", ms), 2 ** 31 - 1);
  }
});

Deno.test("a value that is not a limit is refused by its name", () => {
  for (const ms of [0, -1, NaN]) assertThrows(() => timeLimit("timeoutMs", ms), RangeError, "tim");
  assertEquals(byteLimit("maxOutputBytes", 1), 1);
  for (const bytes of [0, -1, NaN, 1.5, Infinity]) {
    assertThrows(() => byteLimit("maxOutputBytes", bytes), RangeError, "maxOutputBytes");
  }
});
