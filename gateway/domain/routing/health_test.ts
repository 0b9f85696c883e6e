import { assert, assertEquals, assertMatch } from "@std/assert";
import type { AttemptOutcome } from "@svc/sdk/protocol";
import fc from "fast-check";
import {
  availability,
  BASE_COOLDOWN_MS,
  beginAttempt,
  BREAKER_FAILURES,
  CREDENTIALS_COOLDOWN_MS,
  type Health,
  MAX_COOLDOWN_MS,
  MAX_RETRY_AFTER_MS,
  type Observation,
  observe,
  PROBE_TIMEOUT_MS,
  UNOBSERVED,
} from "./health.ts";

const NOW = 1_800_000_000_000;

function after(outcomes: readonly AttemptOutcome[], nowMs = NOW): Health {
  return outcomes.reduce<Health>(
    (h, outcome) => observe(h, { outcome, ms: 100 }, nowMs),
    UNOBSERVED,
  );
}

Deno.test("observe() opens the breaker after failures in a row", () => {
  const row = Array<AttemptOutcome>(BREAKER_FAILURES - 1).fill("server_error");
  assert(availability(after(row), NOW).available);
  assert(availability(after([...row, "ok", "timeout"]), NOW).available);
  const state = availability(after([...row, "connect_failed"]), NOW);
  assertEquals([state.available, state.retryAfterMs], [false, BASE_COOLDOWN_MS]);
  assertMatch(state.reason ?? "", /after 3 failures, last: connect failed/);
});

Deno.test("observe() counts neither the caller's input nor the caller's leaving", () => {
  const health = after(["cut", "malformed", "refused_input", "cancelled"]);
  assertEquals(health.failures, 2);
  assert(!availability(observe(health, { outcome: "cut", ms: 1 }, NOW), NOW).available);
});

const COOLDOWNS: readonly (readonly [Observation, number])[] = [
  [{ outcome: "rate_limited", ms: 1 }, BASE_COOLDOWN_MS],
  [{ outcome: "rate_limited", ms: 1, retryAfterMs: 7_000 }, 7_000],
  [{ outcome: "rate_limited", ms: 1, retryAfterMs: 1e9 }, MAX_RETRY_AFTER_MS],
  [{ outcome: "server_error", ms: 1, retryAfterMs: 2_000 }, 2_000],
  [{ outcome: "refused_credentials", ms: 1 }, CREDENTIALS_COOLDOWN_MS],
  [{ outcome: "timeout", ms: 1 }, 0],
];

for (const [observation, expected] of COOLDOWNS) {
  const { outcome, retryAfterMs } = observation;
  Deno.test(`observe() cools down after one ${outcome}, Retry-After ${retryAfterMs}`, () => {
    const state = availability(observe(UNOBSERVED, observation, NOW), NOW);
    assertEquals(state.available, expected === 0);
    assertEquals(state.retryAfterMs ?? 0, expected);
    if (!state.available) assertMatch(state.reason ?? "", /^cooling down/);
  });
}

Deno.test("a cooldown is followed by one probe, and grows while probes fail", () => {
  let health = after(["cut", "cut", "cut"]);
  let nowMs = NOW;
  for (const waitMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
    assertEquals(availability(health, nowMs).retryAfterMs, waitMs);
    nowMs += waitMs;
    assert(availability(health, nowMs).available);
    health = beginAttempt(health, nowMs);
    assertMatch(availability(health, nowMs).reason ?? "", /a probe is in flight/);
    health = observe(health, { outcome: "cut", ms: 1 }, nowMs);
  }
  health = beginAttempt(health, nowMs + MAX_COOLDOWN_MS);
  health = observe(health, { outcome: "ok", ms: 80 }, nowMs + MAX_COOLDOWN_MS);
  assertEquals(health, { ...UNOBSERVED, latencyMs: 80 });
});

Deno.test("a probe that decides nothing, or is lost, lets another one go", () => {
  const limited = after(["rate_limited"]);
  const probing = beginAttempt(limited, NOW + 1_000);
  assert(!availability(probing, NOW + 1_000).available);
  const cancelled = observe(probing, { outcome: "cancelled", ms: 1 }, NOW + 1_500);
  assert(availability(cancelled, NOW + 1_500).available);
  assert(availability(probing, NOW + 1_000 + PROBE_TIMEOUT_MS).available);
});

Deno.test("beginAttempt() leaves a healthy target as it is", () => {
  assertEquals(beginAttempt(UNOBSERVED, NOW), UNOBSERVED);
  const failedOnce = after(["cut"]);
  assertEquals(beginAttempt(failedOnce, NOW), failedOnce);
});

Deno.test("attempts that end within a cooldown neither lengthen nor end it", () => {
  const open = after(["cut", "cut", "cut"]);
  const late = after(["cut", "cut", "cut", "cut", "cut", "ok"]);
  assertEquals(late.coolUntilMs, open.coolUntilMs);
  assertEquals(late.failures, open.failures);
  const limited = observe(open, { outcome: "rate_limited", ms: 1, retryAfterMs: 9_000 }, NOW);
  assertEquals(limited.coolUntilMs, NOW + 9_000);
});

Deno.test("a clock that went forward and back leaves nobody cooling down", () => {
  const ahead = NOW + 365 * 24 * 3_600_000;
  const probing = beginAttempt(after(["rate_limited"], ahead), ahead + 1_000);
  for (const health of [after(["refused_credentials"], ahead), probing]) {
    assert(!availability(health, ahead + 1_000).available);
    assert(availability(health, NOW).available);
    const next = beginAttempt(health, NOW);
    assertMatch(availability(next, NOW).reason ?? "", /a probe is in flight/);
    const failed = observe(next, { outcome: "cut", ms: 1 }, NOW);
    assert(!availability(failed, NOW).available);
    assert(availability(failed, NOW + MAX_COOLDOWN_MS).available);
    assertEquals(observe(health, { outcome: "ok", ms: 80 }, NOW).coolUntilMs, 0);
  }
});

Deno.test("observe() takes a 403 for one ordinary failure", () => {
  const refused = { outcome: "refused_credentials", ms: 1, status: 403 } as const;
  const once = observe(UNOBSERVED, refused, NOW);
  assertEquals([availability(once, NOW).available, once.failures], [true, 1]);
  assertEquals(availability(once, NOW).failures, 1);
  const row = observe(observe(once, refused, NOW), refused, NOW);
  assertEquals(availability(row, NOW).retryAfterMs, BASE_COOLDOWN_MS);
  assertMatch(row.reason, /after 3 failures, last: refused credentials/);
});

Deno.test("observe() averages the latency of answers", () => {
  const first = observe(UNOBSERVED, { outcome: "ok", ms: 100 }, NOW);
  const second = observe(first, { outcome: "ok", ms: 200 }, NOW);
  assertEquals([first.latencyMs, second.latencyMs], [100, 120]);
  assertEquals(availability(second, NOW), { available: true, latencyMs: 120 });
  assertEquals(availability(UNOBSERVED, NOW).latencyMs, undefined);
});

Deno.test("no history keeps a target away for longer than the longest wait", () => {
  const outcome = fc.constantFrom<AttemptOutcome>(
    "ok",
    "connect_failed",
    "timeout",
    "rate_limited",
    "refused_credentials",
    "refused_input",
    "server_error",
    "malformed",
    "cut",
    "cancelled",
  );
  const event = fc.record({
    outcome,
    ms: fc.nat(1_000),
    retryAfterMs: fc.option(fc.nat(), { nil: undefined }),
    passedMs: fc.nat(90_000),
  });
  fc.assert(fc.property(fc.array(event, { maxLength: 40 }), (events) => {
    let health: Health = UNOBSERVED;
    let nowMs = NOW;
    for (const { passedMs, ...observation } of events) {
      nowMs += passedMs;
      if (availability(health, nowMs).available) health = beginAttempt(health, nowMs);
      health = observe(health, observation, nowMs);
    }
    const longestMs = Math.max(MAX_RETRY_AFTER_MS, CREDENTIALS_COOLDOWN_MS, PROBE_TIMEOUT_MS);
    assert(availability(health, nowMs + longestMs).available);
  }));
});
