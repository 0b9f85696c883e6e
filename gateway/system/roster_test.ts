import { assertEquals } from "@std/assert";
import { Roster } from "./roster.ts";

Deno.test("Roster: members leave once, in any order", () => {
  const roster = new Roster<string>();
  const leaves = ["a", "b", "c", "d"].map((name) => roster.join(name));
  const [leaveA, leaveB, , leaveD] = leaves;
  assertEquals([leaveB?.(), leaveB?.()], [true, false]);
  assertEquals([...roster].sort(), ["a", "c", "d"]);
  assertEquals([leaveD?.(), leaveA?.(), leaveA?.()], [true, true, false]);
  assertEquals([[...roster], roster.size], [["c"], 1]);
});

Deno.test("Roster: equal members are members each", () => {
  const roster = new Roster<string>();
  const leave = roster.join("a");
  roster.join("a");
  leave();
  assertEquals([...roster], ["a"]);
});

Deno.test("Roster: a member may leave while the members are visited", () => {
  const roster = new Roster<number>();
  const leaves = [0, 1, 2].map((number) => roster.join(number));
  const visited: number[] = [];
  for (const number of roster) {
    visited.push(number);
    for (const leave of leaves) leave();
  }
  assertEquals([visited, roster.size], [[0, 1, 2], 0]);
});
