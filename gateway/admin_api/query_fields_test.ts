import { assertEquals } from "@std/assert";
import { parseTime } from "./query_fields.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);

Deno.test("parseTime() reads ISO 8601 times, as UTC where they name no zone", () => {
  const cases: readonly [string, string][] = [
    ["2026-11-21", "2026-11-21T00:00:00.000Z"],
    ["2026-11-21T08:00", "2026-11-21T08:00:00.000Z"],
    ["2026-11-21T08:00:01.5", "2026-11-21T08:00:01.500Z"],
    ["2026-11-21T08:00:00Z", "2026-11-21T08:00:00.000Z"],
    ["2026-11-21T08:00:00+08:00", "2026-11-21T00:00:00.000Z"],
    ["2026-11-21T08:00:00-01:30", "2026-11-21T09:30:00.000Z"],
  ];
  for (const [text, expected] of cases) {
    assertEquals(parseTime(text, NOW_MS), Date.parse(expected), text);
  }
});

Deno.test("parseTime() reads durations back from now", () => {
  const minute = 60_000;
  const lengths = { "90s": 1.5, "5m": 5, "24h": 24 * 60, "7d": 7 * 24 * 60, "2w": 14 * 24 * 60 };
  for (const [text, minutes] of Object.entries(lengths)) {
    assertEquals(parseTime(text, NOW_MS), NOW_MS - minutes * minute, text);
  }
});

Deno.test("parseTime() refuses everything else", () => {
  const texts = [
    "",
    "now",
    "24",
    "h",
    "-1h",
    "1.5h",
    "1y",
    "2026-13-01",
    "2026-11-21 08:00",
    "Nov 21",
  ];
  for (const text of texts) assertEquals(parseTime(text, NOW_MS), undefined, text);
});
