import { assertEquals } from "@std/assert";
import { rangeQuery, readRange } from "./time_range.ts";

const NOW_MS = Date.UTC(2026, 10, 22, 12);

function range(query: string, otherwise: "24h" | "any" = "24h") {
  return readRange({ query: new URLSearchParams(query), nowMs: NOW_MS }, otherwise);
}

Deno.test("a span ends now; what is not known is the usual one", () => {
  assertEquals(range("range=1h"), { choice: "1h", sinceMs: NOW_MS - 3_600_000 });
  for (const query of ["", "range=1y", "range=own", "range=own&since=x"]) {
    assertEquals(range(query), { choice: "24h", sinceMs: NOW_MS - 86_400_000 });
    assertEquals(range(query, "any"), { choice: "any" });
  }
});

Deno.test("an own time is in the zone that comes with it, else in UTC", () => {
  const own = "range=own&since=2026-11-21T08:00&until=2026-11-21T09:30";
  const utc = { sinceMs: Date.UTC(2026, 10, 21, 8), untilMs: Date.UTC(2026, 10, 21, 9, 30) };
  assertEquals(range(own), { choice: "own", ...utc });
  assertEquals(range(`${own}&zone=%2B08:00`).sinceMs, Date.UTC(2026, 10, 21, 0));
  assertEquals(range(`${own}&zone=Mars`).choice, "24h");
  assertEquals(range("range=own&until=2026-11-21T09:30").untilMs, utc.untilMs);
  assertEquals(range("range=&since=2026-11-21T08:00&until=").sinceMs, utc.sinceMs);
  assertEquals(range("range=1h&since=2026-11-21T08:00").choice, "1h");
});

Deno.test("links to other pages keep the time, and nothing else", () => {
  const query = new URLSearchParams("range=own&since=2026-11-21T08:00&until=&zone=Z&sort=-key");
  assertEquals(rangeQuery({ query }), { range: "own", since: "2026-11-21T08:00", zone: "Z" });
});
