import { assertEquals } from "@std/assert";
import { ClockDifference } from "./clock_difference.ts";

Deno.test("a clock that is apart from the database's is reported once, until it is not", () => {
  let nowMs = 100_000;
  const reports: number[] = [];
  const clock = new ClockDifference({ nowMs: () => nowMs, onApart: (ms) => reports.push(ms) });
  const ask = (databaseMs: number) => {
    const sentMs = clock.nowMs();
    nowMs += 200;
    clock.answered(databaseMs, sentMs);
    return clock.aheadMs;
  };
  assertEquals(ask(95_100), 5_000);
  assertEquals(reports, []);
  assertEquals(ask(70_300), 30_000);
  assertEquals(ask(70_500), 30_000);
  assertEquals(ask(100_700), 0);
  assertEquals(ask(130_900), -30_000);
  assertEquals(reports, [30_000, -30_000]);
});
