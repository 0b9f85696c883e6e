import { assertEquals } from "@std/assert";
import { chanceAbove, refusalFindings, refusalTimes } from "./refusal_time.ts";

Deno.test("chanceAbove() is a half for equal rows, and ties count half", () => {
  assertEquals(chanceAbove([1, 2, 3], [3, 2, 1]), 0.5);
  assertEquals(chanceAbove([2, 2], [2, 2, 2]), 0.5);
  assertEquals([chanceAbove([5, 6], [1, 2]), chanceAbove([1, 2], [5, 6])], [1, 0]);
  assertEquals(chanceAbove([2], [1, 2, 3, 4]), 0.375);
});

Deno.test("refusalFindings() finds a reason that takes longer, by either measure", () => {
  const even = Array.from({ length: 100 }, (_, index) => 30 + index);
  const times = new Map([
    ["unknown", even],
    ["same", even],
    ["slower", even.map((time) => time * 1.2)],
    ["often slower", even.map((time, index) => index > 45 && index < 55 ? time : time + 15)],
  ]);
  const met = refusalFindings(times).map(({ name, met }) => [name.split(/[,/] ?/)[1]?.trim(), met]);
  assertEquals(met, [["same", true], ["slower", false], ["often slower", false]]);
});

Deno.test("refusalTimes() has a time for each reason and round", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const times = await refusalTimes(folder, 5);
    assertEquals([...times.values()].map(({ length }) => length), Array(7).fill(5));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
