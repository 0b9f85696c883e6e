import { assertEquals } from "@std/assert";
import { nearest } from "./nearest.ts";

Deno.test("nearest() finds what was probably meant, and nothing where nothing is alike", () => {
  const names = ["sqrt", "round", "median"];
  assertEquals(nearest("sqr", names), "sqrt");
  assertEquals(nearest("Rounds", names), "round");
  assertEquals(nearest("meadian", names), "median");
  assertEquals(nearest("x", names), undefined);
  assertEquals(nearest("m".repeat(1_000), names), undefined);
  assertEquals(nearest("sqrt", []), undefined);
});
