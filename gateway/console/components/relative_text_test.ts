import { assertEquals } from "@std/assert";
import { relativeText } from "./relative_text.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);

Deno.test("a moment is shown as time since then, and as a date when it is long ago", () => {
  const text = (seconds: number, language: "en" | "zh" = "en") =>
    relativeText(NOW_MS - seconds * 1_000, { nowMs: NOW_MS, language });
  assertEquals([0, 59, 60, 3_599, 3_600, 86_400, 13 * 86_400].map((seconds) => text(seconds)), [
    ...["0s ago", "59s ago", "1m ago", "59m ago", "1h ago", "1d ago", "13d ago"],
  ]);
  assertEquals(text(14 * 86_400), "2026-11-07");
  // Clocks of two machines differ: what has not been yet is now.
  assertEquals(text(-30), "0s ago");
  assertEquals(text(120, "zh"), "2分钟前");
});
