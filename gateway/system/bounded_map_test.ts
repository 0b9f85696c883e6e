import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { BoundedMap } from "./bounded_map.ts";

Deno.test("a full map forgets what was used least recently", () => {
  const map = new BoundedMap<string, number>(4);
  map.set("a", 1);
  map.set("b", 2);
  map.get("a");
  map.set("c", 3);
  map.get("a");
  map.set("d", 4);
  map.set("a", 5);
  assertEquals([map.get("a"), map.get("b"), map.get("c")], [5, undefined, 3]);
});

Deno.test("what was used last stays, and a value is the one that was set last", () => {
  const CAPACITY = 6;
  const uses = fc.array(fc.record({ key: fc.nat(9), value: fc.option(fc.nat()) }));
  fc.assert(fc.property(uses, (all) => {
    const map = new BoundedMap<number, number>(CAPACITY);
    const truth = new Map<number, number>();
    let recent: number[] = [];
    for (const { key, value } of all) {
      const found = map.get(key);
      assert(found === undefined || found === truth.get(key));
      assert(found !== undefined || !recent.slice(-CAPACITY / 2).includes(key));
      if (value !== null) map.set(key, value);
      if (value !== null) truth.set(key, value);
      if (value === null && found === undefined) continue;
      recent = [...recent.filter((other) => other !== key), key];
    }
  }));
});
