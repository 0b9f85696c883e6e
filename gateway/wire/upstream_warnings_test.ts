import { assert, assertEquals } from "@std/assert";
import { UpstreamWarnings, upstreamWarnings } from "./upstream_warnings.ts";

Deno.test("an answer's lines are reported once each, without values that are not lines", () => {
  assertEquals(upstreamWarnings({}), []);
  assertEquals(upstreamWarnings({ upstream_warnings: "seed" }), []);
  assertEquals(upstreamWarnings({ upstream_warnings: ["seed", 5, null, "seed", "user"] }), [
    "seed",
    "user",
  ]);
});

Deno.test("a long list of lines is shortened, and the last line says so", () => {
  const many = Array.from({ length: 1_000 }, (_, at) => `${at} ${"x".repeat(1_000)}`);
  const warnings = new UpstreamWarnings();
  warnings.add({ upstream_warnings: many });
  warnings.beginTurn();
  warnings.add({ upstream_warnings: many.map((line) => `again ${line}`) });
  for (const lines of [upstreamWarnings({ upstream_warnings: many }), warnings.lines]) {
    assertEquals(lines.length, 32);
    assert(lines.every((line) => line.length <= 256));
    assertEquals(lines.at(-1), "more was left out than is listed here");
    assertEquals(new Set(lines).size, 32);
  }
});

Deno.test("turns add theirs, each line once", () => {
  const warnings = new UpstreamWarnings();
  warnings.add({ upstream_warnings: ["seed"] });
  warnings.beginTurn();
  warnings.add({ upstream_warnings: ["user"] });
  assertEquals(warnings.lines, ["seed", "user"]);
  warnings.beginTurn();
  warnings.add({ upstream_warnings: ["seed", "name"] });
  assertEquals(warnings.lines, ["seed", "user", "name"]);
});
