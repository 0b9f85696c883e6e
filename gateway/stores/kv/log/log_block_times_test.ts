import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { BLOCK_TIMES_KEPT } from "../limits.ts";
import { BlockTimes } from "./log_block_times.ts";

Deno.test("exactly the blocks that are known to lie outside a time are left out", () => {
  const block = fc.record({
    isKnown: fc.boolean(),
    segments: fc.integer({ min: 1, max: 4 }),
    sinceMs: fc.integer({ min: 0, max: 20 }),
    lengthMs: fc.integer({ min: 0, max: 5 }),
  });
  const blocks = fc.array(block, { maxLength: 12 });
  const time = fc.tuple(fc.integer({ min: 0, max: 20 }), fc.integer({ min: 0, max: 20 }));
  fc.assert(fc.property(blocks, time, (blockSpecs, [sinceMs, untilMs]) => {
    const times = new BlockTimes();
    const wanted: number[] = [];
    let first = 1;
    for (const { isKnown, segments, lengthMs, ...rest } of blockSpecs) {
      const range = { ...rest, first, last: first + segments - 1 };
      const whole = { ...range, untilMs: rest.sinceMs + lengthMs };
      if (isKnown) times.note(whole);
      const isOut = whole.untilMs < sinceMs || whole.sinceMs > untilMs;
      for (let at = range.first; at <= range.last; at++) if (!isKnown || !isOut) wanted.push(at);
      first = range.last + 1;
    }
    const range = { first: 2, last: first };
    const remaining = [...times.rangesAt(range, { sinceMs, untilMs })].flatMap((one) =>
      Array.from({ length: one.last - one.first + 1 }, (_, at) => one.first + at)
    );
    assertEquals(remaining, [...wanted, first].filter((at) => at >= 2 && at <= range.last));
  }));
});

Deno.test("the memory of blocks is bounded", () => {
  const times = new BlockTimes();
  for (let at = 1; at <= 2 * BLOCK_TIMES_KEPT; at++) {
    times.note({ first: at, last: at, sinceMs: 0, untilMs: 0 });
  }
  const [remaining] = times.rangesAt({ first: 1, last: 3 * BLOCK_TIMES_KEPT }, {
    sinceMs: 1,
    untilMs: 1,
  });
  assertEquals(remaining, { first: 1, last: BLOCK_TIMES_KEPT });
});
