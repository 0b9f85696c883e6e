import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  correctMinute,
  EMPTY_WINDOW,
  type MinuteWindow,
  returnSlot,
  STEP_MS,
  STEPS,
  takeFromMinute,
  takeSlot,
} from "./rate_limits.ts";

const START = 1_800_000_000_000;

Deno.test("takeFromMinute() lets the limit through and says when to come back", () => {
  let window = EMPTY_WINDOW;
  for (const remaining of [2, 1, 0]) {
    const { state, verdict } = takeFromMinute(window, { amount: 1, limit: 3, nowMs: START });
    assertEquals(verdict, {
      allowed: true,
      limit: 3,
      remaining,
      resetMs: STEPS * STEP_MS,
      retryAfterMs: 0,
    });
    window = state;
  }
  const refused = takeFromMinute(window, { amount: 1, limit: 3, nowMs: START + 1_000 });
  assertEquals(refused.verdict, {
    allowed: false,
    limit: 3,
    remaining: 0,
    resetMs: 64_000,
    retryAfterMs: 64_000,
  });
  const early = { amount: 1, limit: 3, nowMs: START + 64_999 };
  assert(!takeFromMinute(refused.state, early).verdict.allowed);
  const after = takeFromMinute(refused.state, { ...early, nowMs: START + 65_000 });
  assertEquals([after.verdict.allowed, after.verdict.remaining], [true, 2]);
});

Deno.test("takeFromMinute() never lets an amount above the limit through", () => {
  const { state, verdict } = takeFromMinute(EMPTY_WINDOW, { amount: 9, limit: 5, nowMs: START });
  assertEquals([verdict.allowed, verdict.remaining], [false, 5]);
  assertEquals([verdict.resetMs, verdict.retryAfterMs], [0, STEP_MS * STEPS]);
  assertEquals(state.counts, []);
});

Deno.test("takeFromMinute() survives a clock that goes back", () => {
  const first = takeFromMinute(EMPTY_WINDOW, { amount: 2, limit: 3, nowMs: START }).state;
  const second = takeFromMinute(first, { amount: 1, limit: 3, nowMs: START - 60_000 });
  assertEquals([second.verdict.allowed, second.verdict.remaining], [true, 0]);
});

Deno.test("takeFromMinute() forgets what lies more than a minute in the future", () => {
  const year = 365 * 24 * 3_600_000;
  const ahead = takeFromMinute(EMPTY_WINDOW, { amount: 3, limit: 3, nowMs: START + year }).state;
  const { state, verdict } = takeFromMinute(ahead, { amount: 1, limit: 3, nowMs: START });
  assertEquals([verdict.allowed, verdict.remaining, verdict.resetMs], [true, 2, STEPS * STEP_MS]);
  assertEquals(state.counts, [1]);
});

Deno.test("takeFromMinute() lets no more than the limit through in any minute", () => {
  const requests = fc.array(
    fc.record({ afterMs: fc.nat(20_000), amount: fc.integer({ min: 1, max: 4 }) }),
    { minLength: 10, maxLength: 120 },
  );
  fc.assert(
    fc.property(requests, fc.nat(4_999), (list, offsetMs) => {
      const limit = 10;
      const passed: { atMs: number; amount: number }[] = [];
      let window: MinuteWindow = EMPTY_WINDOW;
      let nowMs = START + offsetMs;
      for (const { afterMs, amount } of list) {
        nowMs += afterMs;
        const { state, verdict } = takeFromMinute(window, { amount, limit, nowMs });
        assert(state.counts.length <= STEPS);
        if (verdict.allowed) passed.push({ atMs: nowMs, amount });
        else {
          const retry = { amount, limit, nowMs: nowMs + verdict.retryAfterMs };
          assert(takeFromMinute(state, retry).verdict.allowed, "the wait it names is long enough");
          assert(!takeFromMinute(state, { ...retry, nowMs: retry.nowMs - 1 }).verdict.allowed);
        }
        window = state;
      }
      for (const { atMs } of passed) {
        const inMinute = passed.filter((one) => one.atMs >= atMs && one.atMs < atMs + 60_000);
        assert(inMinute.reduce((total, one) => total + one.amount, 0) <= limit);
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("correctMinute() replaces an estimate by the truth", () => {
  const window = takeFromMinute(EMPTY_WINDOW, { amount: 100, limit: 150, nowMs: START }).state;
  const less = correctMinute(window, { delta: -60, nowMs: START });
  assertEquals(less.counts, [40]);
  assertEquals(correctMinute(less, { delta: -60, nowMs: START }).counts, [0]);
  const more = correctMinute(window, { delta: 500, nowMs: START + STEP_MS });
  assertEquals(more.counts, [500, 100]);
  const { verdict } = takeFromMinute(more, { amount: 1, limit: 150, nowMs: START + STEP_MS });
  assertEquals([verdict.allowed, verdict.remaining], [false, 0]);
});

Deno.test("correctMinute() takes back from the step that was counted, not from newer ones", () => {
  const window = takeFromMinute(EMPTY_WINDOW, { amount: 100, limit: 150, nowMs: START }).state;
  const nowMs = START + 2 * STEP_MS;
  const newer = takeFromMinute(window, { amount: 30, limit: 150, nowMs }).state;
  const corrected = correctMinute(newer, { delta: -90, nowMs, countedAtMs: START });
  assertEquals(corrected.counts, [30, 0, 10]);
  const late = START + 20 * STEP_MS;
  const others = takeFromMinute(newer, { amount: 7, limit: 150, nowMs: late }).state;
  assertEquals(correctMinute(others, { delta: -90, nowMs: late, countedAtMs: START }).counts, [7]);
});

Deno.test("takeSlot() and returnSlot() count requests in flight", () => {
  const first = takeSlot(0, 1);
  assertEquals([first.state, first.verdict.allowed, first.verdict.remaining], [1, true, 0]);
  const second = takeSlot(first.state, 1);
  assertEquals([second.state, second.verdict.allowed], [1, false]);
  assert(second.verdict.retryAfterMs > 0);
  assertEquals([returnSlot(second.state), returnSlot(0)], [0, 0]);
  assertEquals(takeSlot(0, 0).verdict.resetMs, 0);
});
