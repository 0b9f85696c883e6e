import { assertEquals } from "@std/assert";
import { nearestName } from "./nearest_name.ts";

Deno.test("nearestName() takes the fewest edits, the first of equals", () => {
  const names = ["models", "tiers", "upstreams"];
  assertEquals(nearestName("modles", names), "models");
  assertEquals(nearestName("Tier", names), "tiers");
  assertEquals(nearestName("upstream", names), "upstreams");
  assertEquals(nearestName("teir", ["time", "tier", "tire"]), "tier");
  assertEquals(nearestName("abcx", ["abca", "abcb"]), "abca");
});

Deno.test("nearestName() suggests nothing where no name is near", () => {
  const names = ["create", "credit", "total", "models"];
  for (const given of ["frobnicate", "__proto__", "toString", "x", "", "m".repeat(1_000_000)]) {
    assertEquals(nearestName(given, names), undefined, given.slice(0, 20));
  }
  assertEquals(nearestName("x", ["ab", "cd"]), undefined);
  assertEquals(nearestName("x", []), undefined);
});
