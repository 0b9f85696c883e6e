import { assertEquals } from "@std/assert";
import { FOLLOWED_TRACES_PER_SECOND, NEW_TRACES_PER_SECOND, Sampler } from "./sampler.ts";

const IDS = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };
const RECORDED = { ...IDS, flags: 1 };
const UNRECORDED = { ...IDS, flags: 0 };

/** A sampler with a clock and randomness of the test. */
function sampler(ratio?: number) {
  const at = { nowMs: 1_000, die: 0.5 };
  const made = new Sampler({ ratio, random: () => at.die, monotonicMs: () => at.nowMs });
  /** Counts the selected requests of a thousand that come `everyMs` apart. */
  const taken = (remote: typeof RECORDED | undefined, everyMs: number) => {
    let count = 0;
    for (let request = 0; request < 1_000; request++) {
      at.nowMs += everyMs;
      if (made.takes(remote)) count++;
    }
    return count;
  };
  return { at, made, taken };
}

Deno.test("without a ratio every request of a quiet service is traced", () => {
  assertEquals(sampler().taken(undefined, 1_000 / NEW_TRACES_PER_SECOND), 1_000);
});

Deno.test("without a ratio a busy service traces so many a second, however many come", () => {
  const { taken } = sampler();
  assertEquals(taken(undefined, 0), NEW_TRACES_PER_SECOND);
  // A thousand requests per second.
  for (let second = 0; second < 5; second++) {
    assertEquals(taken(undefined, 1), NEW_TRACES_PER_SECOND);
  }
});

Deno.test("a quiet hour saves up the traces of one second, not of an hour", () => {
  const { at, taken } = sampler();
  at.nowMs += 3_600_000;
  assertEquals(taken(undefined, 0), NEW_TRACES_PER_SECOND);
});

Deno.test("callers cannot exceed their maximum of traces, and take nothing from the others", () => {
  const { at, made, taken } = sampler();
  assertEquals(taken(RECORDED, 0), FOLLOWED_TRACES_PER_SECOND);
  assertEquals(made.takes(undefined), true);
  assertEquals(taken(UNRECORDED, 1_000), 0);
  at.nowMs += 1_000;
  assertEquals(taken(RECORDED, 0), FOLLOWED_TRACES_PER_SECOND);
});

Deno.test("a configured ratio is kept at any cost", () => {
  assertEquals(sampler(1).taken(undefined, 0), 1_000);
  assertEquals(sampler(1).taken(RECORDED, 0), 1_000);
  assertEquals(sampler(1).taken(UNRECORDED, 0), 0);
  assertEquals(sampler(0).taken(undefined, 1_000), 0);
  assertEquals(sampler(0).taken(RECORDED, 0), FOLLOWED_TRACES_PER_SECOND);
  const half = sampler(0.5);
  assertEquals(half.taken(undefined, 0), 0);
  half.at.die = 0.49;
  assertEquals(half.taken(undefined, 0), 1_000);
});
