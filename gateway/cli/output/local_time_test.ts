import { assertEquals } from "@std/assert";
import type { OptionName } from "../command.ts";
import { timeRange } from "./local_time.ts";

Deno.test("timeRange() takes times without a zone as local, as tables show them", () => {
  const since = (text: string | undefined) =>
    timeRange({ option: (name: OptionName) => name === "since" ? text : undefined }).since;
  assertEquals(since("2026-11-21"), new Date(2026, 10, 21).toISOString());
  assertEquals(since("2026-11-21 08:05"), new Date(2026, 10, 21, 8, 5).toISOString());
  assertEquals(since("2026-11-21T08:05:03"), new Date(2026, 10, 21, 8, 5, 3).toISOString());
  for (const text of ["24h", "2026-11-21T08:05:03Z", "2026-13-01", "never", undefined]) {
    assertEquals(since(text), text);
  }
});
