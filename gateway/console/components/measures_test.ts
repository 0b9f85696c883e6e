import { assertEquals } from "@std/assert";
import {
  countText,
  durationText,
  growthText,
  percentText,
  roundedCredits,
} from "./measures_text.ts";

/** With plain spaces: those that are written keep a number and its unit on one line. */
function plain(text: string | undefined): string | undefined {
  return text?.replaceAll("\u00a0", " ");
}

Deno.test("a number and its unit stay together", () => {
  const texts = [durationText(125_000), countText(119_100), percentText(1, 3)];
  assertEquals(texts, ["2\u00a0min\u00a005\u00a0s", "119.1\u00a0k", "33\u00a0%"]);
});

Deno.test("time spans have two or three digits and a unit", () => {
  const texts = [0, 412.4, 999, 1_000, 9_994, 12_340, 59_940, 59_960, 125_000].map(durationText);
  assertEquals(texts.map(plain), [
    ...["0 ms", "412 ms", "999 ms", "1.00 s", "9.99 s", "12.3 s", "59.9 s"],
    ...["1 min 00 s", "2 min 05 s"],
  ]);
});

Deno.test("counts are short, and never round up into the wrong unit", () => {
  const texts = [0, 99_999, 100_000, 999_949, 999_950, 4_567_890, 999_960_000].map(countText);
  assertEquals(texts.map(plain), [
    "0",
    "99,999",
    "100.0 k",
    "999.9 k",
    "1.00 M",
    "4.57 M",
    "1.00 G",
  ]);
});

Deno.test("credits keep their first digits, however small they are", () => {
  const texts = ["0.000000", "1234567.891", "0.5", "0.0264", "0.000001", "-2.5"].map(
    roundedCredits,
  );
  assertEquals(texts, ["0", "1,234,567.89", "0.50", "0.026", "0.000001", "-2.50"]);
});

Deno.test("shares and growth are shown in per cent; zero has neither", () => {
  assertEquals([percentText(0, 0), percentText(1, 3), percentText(1, 100_000)].map(plain), [
    "0 %",
    "33 %",
    "< 0.1 %",
  ]);
  assertEquals(growthText(5, 0), undefined);
  const growths = [growthText(112, 100), growthText(96, 100), growthText(7, 7), growthText(0, 4)];
  assertEquals(growths.map(plain), [
    "+12 %",
    "−4.0 %",
    "±0 %",
    "−100 %",
  ]);
  assertEquals(growthText(250, 10), "×25");
});
