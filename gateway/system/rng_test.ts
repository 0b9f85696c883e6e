import { assert, assertEquals, assertMatch } from "@std/assert";
import { createSystemRng } from "./rng.ts";

Deno.test("ids carry their prefix, sort by time and do not repeat", () => {
  let nowMs = 1_800_000_000_000;
  const rng = createSystemRng({ nowMs: () => nowMs, monotonicMs: () => 0 });
  const earlier = rng.id("req");
  assertMatch(earlier, /^req_[0-9a-z]{26}$/);
  const ids = new Set(Array.from({ length: 5_000 }, () => rng.id("x")));
  assertEquals(ids.size, 5_000);
  nowMs += 1;
  assert(rng.id("req") > earlier);
  const next = rng.next();
  assert(next >= 0 && next < 1);
});
