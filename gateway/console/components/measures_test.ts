import { assertEquals } from "@std/assert";
import {
  countText,
  durationText,
  growthText,
  percentText,
  roundedCredits,
} from "./measures_text.ts";

Deno.test("time spans have two or three digits and a unit", () => {
  const texts = [0, 412.4, 999, 1_000, 9_994, 12_340, 59_940, 59_960, 125_000].map(durationText);
  assertEquals(texts, [
    ...["0 ms", "412 ms", "999 ms", "1.00 s", "9.99 s", "12.3 s", "59.9 s"],
    ...["1 min 00 s", "2 min 05 s"],
  ]);
});

Deno.test("counts are short, and never round up into the wrong unit", () => {
  const texts = [0, 99_999, 100_000, 999_949, 999_950, 4_567_890, 999_960_000].map(countText);
  assertEquals(texts, ["0", "99,999", "100.0 k", "999.9 k", "1.00 M", "4.57 M", "1.00 G"]);
});

Deno.test("credits keep their first digits, however small they are", () => {
  const texts = ["0.000000", "1234567.891", "0.5", "0.0264", "0.000001", "-2.5"].map(
    roundedCredits,
  );
  assertEquals(texts, ["0", "1,234,567.89", "0.50", "0.026", "0.000001", "-2.50"]);
});

Deno.test("parts and growth are told in per cent, and of nothing nothing is told", () => {
  assertEquals([percentText(0, 0), percentText(1, 3), percentText(1, 100_000)], [
    "0 %",
    "33 %",
    "< 0.1 %",
  ]);
  assertEquals(growthText(5, 0), undefined);
  assertEquals([growthText(112, 100), growthText(96, 100), growthText(7, 7), growthText(0, 4)], [
    "+12 %",
    "−4.0 %",
    "±0 %",
    "−100 %",
  ]);
  assertEquals(growthText(250, 10), "×25");
});
