import { assert, assertEquals } from "@std/assert";
import { SeenIds } from "./seen_ids.ts";

Deno.test("SeenIds knows what it has seen, and nothing else", () => {
  const seen = new SeenIds();
  for (let n = 0; n < 100_000; n++) {
    assertEquals(seen.has(`hold_${n}`), false);
    seen.add(`hold_${n}`);
    seen.add(`hold_${n}`);
  }
  for (let n = 0; n < 100_000; n++) assert(seen.has(`hold_${n}`));
  for (const id of ["", "hold_", "hold_100000", "Hold_1"]) assertEquals(seen.has(id), false, id);
});

Deno.test("SeenIds forgets the oldest where there are too many", () => {
  const seen = new SeenIds(1 << 6);
  for (let n = 0; n < 1_000; n++) {
    seen.add(`${n}`);
    for (let last = Math.max(0, n - 30); last <= n; last++) assert(seen.has(`${last}`));
  }
  assertEquals(seen.has("0"), false);
});
