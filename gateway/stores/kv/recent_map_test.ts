import { assertEquals } from "@std/assert";
import { RecentMap } from "./recent_map.ts";

Deno.test("RecentMap keeps what was used last and forgets the rest", () => {
  const map = new RecentMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("c", 3);
  assertEquals(map.get("a"), 1);
  map.set("d", 4);
  assertEquals([map.get("a"), map.get("b"), map.get("d")], [1, undefined, 4]);
  map.delete("d");
  assertEquals(map.get("d"), undefined);
});
