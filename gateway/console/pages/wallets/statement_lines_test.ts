import { assertEquals } from "@std/assert";
import type { Entry } from "./answers.ts";
import { linesOf } from "./statement_lines.ts";

const AT = "2026-11-21T12:00:00.000Z";

function entry(kind: Entry["kind"], rest: Partial<Entry> = {}): Entry {
  return { kind, at: AT, change: "0.000000", available: null, ...rest };
}

Deno.test("a hold and its settlement are one line, with what the call has cost", () => {
  const settled = { id: "h1", held: "4.200000", charged: "0.012900", available: "99.987100" };
  const entries = [
    entry("settle", { ...settled, change: "4.187100" }),
    entry("hold", { id: "h1", change: "-4.200000", available: "95.800000" }),
    entry("credit", { change: "100.000000", available: "100.000000" }),
  ];
  const lines = linesOf(entries, () => true);
  assertEquals(lines.map(({ kind, change, available }) => [kind, change, available]), [
    ["settle", "-0.012900", "99.987100"],
    ["credit", "100.000000", "100.000000"],
  ]);
});

Deno.test("an open hold has a line of its own; one settled outside the list does not", () => {
  const holds = [entry("hold", { id: "h2" }), entry("hold", { id: "h3" })];
  assertEquals(linesOf(holds, (id) => id === "h2").map(({ id }) => id), ["h2"]);
});

Deno.test("an amount that was returned in full changes nothing", () => {
  for (const kind of ["void", "expire"] as const) {
    const ended = entry(kind, { id: "h4", held: "2.000000", change: "2.000000" });
    const lines = linesOf([ended, entry("hold", { id: "h4", change: "-2.000000" })], () => true);
    assertEquals(lines.map((line) => [line.kind, line.change]), [[kind, "0.000000"]]);
  }
});
