import { assert, assertEquals } from "@std/assert";
import { nearestName } from "./nearest_name.ts";

Deno.test("nearestName() takes the fewest edits, the first of equals", () => {
  const names = ["models", "tiers", "upstreams"];
  assertEquals(nearestName("modles", names), "models");
  assertEquals(nearestName("Tier", names), "tiers");
  assertEquals(nearestName("upstream", names), "upstreams");
  assertEquals(nearestName("x", ["ab", "cd"]), "ab");
  assertEquals(nearestName("x", []), "");
  assert(names.includes(nearestName("x".repeat(1_000_000), names)));
});
