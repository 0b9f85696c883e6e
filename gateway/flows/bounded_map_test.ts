import { assertEquals } from "@std/assert";
import { BoundedMap } from "./bounded_map.ts";

Deno.test("a full map forgets what was used least recently", () => {
  const map = new BoundedMap<string, number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  assertEquals([map.get("a"), map.get("b"), map.get("c"), map.size], [1, undefined, 3, 2]);
  map.set("c", 4);
  assertEquals([map.get("c"), map.size], [4, 2]);
});
