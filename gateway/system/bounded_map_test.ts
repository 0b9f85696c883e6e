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

Deno.test("a deleted value is gone from both generations", () => {
  const map = new BoundedMap<string, number>(4);
  for (const [index, key] of ["a", "b", "c", "d"].entries()) map.set(key, index);
  map.delete("a");
  map.delete("d");
  assertEquals(["a", "b", "c", "d"].map((key) => map.get(key)), [undefined, 1, 2, undefined]);
});

Deno.test("the most recently used entry stays, with the last value set", () => {
  const CAPACITY = 6;
  const uses = fc.array(fc.record({ key: fc.nat(9), value: fc.option(fc.nat()) }));
  fc.assert(fc.property(uses, (all) => {
    const map = new BoundedMap<number, number>(CAPACITY);
    const truth = new Map<number, number>();
    let recent: number[] = [];
    for (const { key, value } of all) {
      const current = map.get(key);
      assert(current === undefined || current === truth.get(key));
      assert(current !== undefined || !recent.slice(-CAPACITY / 2).includes(key));
      if (value !== null) map.set(key, value);
      if (value !== null) truth.set(key, value);
      if (value === null && current === undefined) continue;
      recent = [...recent.filter((other) => other !== key), key];
    }
  }));
});
