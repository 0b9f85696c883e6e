import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { FairQueue } from "./fair_queue.ts";

const anybody = () => true;

Deno.test("owners take turns, each with the one that came first", () => {
  const line = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "b2", "c1"]) line.add(item.charAt(0), item);
  line.add("a", "a1");
  assertEquals(line.size, 6);
  assertEquals(line.takeAll(), ["a1", "b1", "c1", "a2", "b2", "a3"]);
  assertEquals([line.size, line.take(anybody)], [0, undefined]);
});

Deno.test("a waiter that may not run keeps its place, and so does its owner", () => {
  const line = new FairQueue<string>();
  for (const item of ["a1", "a2", "b1", "b2"]) line.add(item.charAt(0), item);
  assertEquals(line.take((item) => item.startsWith("b")), "b1");
  assertEquals(line.take((item) => item === "a2"), "a2");
  assertEquals(line.takeAll(), ["b2", "a1"]);
});

Deno.test("an aborted waiter is forgotten", () => {
  const line = new FairQueue<string>();
  line.add("a", "a1");
  line.add("a", "a2");
  assert(line.delete("a", "a1"));
  assert(!line.delete("a", "a1"));
  assert(!line.delete("b", "a2"));
  assertEquals([line.size, line.take(anybody), line.size], [1, "a2", 0]);
});

Deno.test("a full queue drops the last waiter of the owner that has the most", () => {
  const line = new FairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1"]) line.add(item.charAt(0), item);
  assertEquals(line.makeRoom("a"), undefined, "its own flood makes no room for it");
  assertEquals(line.makeRoom("c"), "a3");
  line.add("c", "c1");
  assertEquals(line.makeRoom("b"), undefined, "two of b and one of a would be no fairer");
  assertEquals(line.makeRoom("d"), "a2");
  assertEquals(line.makeRoom("d"), undefined, "everybody has one");
  assertEquals(line.size, 3);
});

Deno.test("between two turns of an owner every other waiting owner has one", () => {
  const owners = fc.array(fc.constantFrom("a", "b", "c", "d"), { maxLength: 60 });
  fc.assert(fc.property(owners, (list) => {
    const line = new FairQueue<number>();
    list.forEach((owner, at) => line.add(owner, at));
    const order = line.takeAll();
    assertEquals(order.length, list.length);
    for (const owner of new Set(list)) {
      const own = order.filter((at) => list[at] === owner);
      assertEquals(own, own.toSorted((a, b) => a - b), "first come first served");
      const turns = own.map((at) => order.indexOf(at));
      for (const [nth, turn] of turns.entries()) {
        const before = order.slice(turns[nth - 1] ?? 0, turn).map((at) => list[at]);
        const others = before.filter((other) => other !== owner);
        assertEquals(new Set(others).size, others.length, "nobody else has two");
      }
    }
  }));
});
