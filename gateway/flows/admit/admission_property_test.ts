/**
 * The headers and waits that a limited key receives are exact after any history of requests: the
 * remaining amount can be used and no more, and the same request is admitted after the stated wait
 * and not before.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { Admission } from "./admission.ts";
import type { TokenReservation } from "../request/token_reservation.ts";

const START_MS = 1_800_000_000_000;
const LIMITS = { requestsPerMinute: 6, tokensPerMinute: 500 };
const KEY: KeyRecord = {
  ...{ id: "key_1", name: "n", walletId: "w", status: "active", hint: "", createdAtMs: 0 },
  policy: LIMITS,
};

/**
 * A request: its time after the one before (a clock may go back), its estimate, and its actual
 * tokens; `undefined`: still in flight.
 */
interface RequestSpec {
  readonly afterMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly took: number | undefined;
}

/** Admits a request, or returns the time to wait. */
function enter(
  admission: Admission,
  request: RequestSpec,
  nowMs: number,
): TokenReservation | number {
  try {
    const { atMs: admittedAtMs } = admission.admit(KEY, nowMs);
    const reserved = admission.reserve(KEY, request, { nowMs, admittedAtMs });
    return reserved ?? 0;
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error;
    return error.retryAfterMs ?? 0;
  }
}

/** True when the limit of requests is used up. */
function isFull(admission: Admission, nowMs: number): boolean {
  return admission.headers(KEY, nowMs)["x-ratelimit-remaining-requests"] === "0";
}

/** Returns the limits after a history of requests, with its last time. */
function replay(history: readonly RequestSpec[]) {
  const admission = new Admission();
  let nowMs = START_MS;
  for (const request of history) {
    nowMs += request.afterMs;
    const entered = enter(admission, request, nowMs);
    if (typeof entered === "number" || request.took === undefined) continue;
    admission.spent(KEY, request.took, nowMs, entered);
  }
  return { admission, nowMs };
}

const request: fc.Arbitrary<RequestSpec> = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.nat(30_000), fc.integer({ min: -30_000, max: 0 })),
  inputTokens: fc.integer({ min: 1, max: 300 }),
  outputTokens: fc.nat(300),
  took: fc.option(fc.nat(700), { nil: undefined }),
});
const histories = fc.array(request, { maxLength: 15 });

Deno.test("after exactly the time to wait the same request is let in, and not a moment before", () => {
  let refusals = 0;
  fc.assert(
    fc.property(histories, request, (history, last) => {
      const { admission, nowMs } = replay(history);
      const byRequests = isFull(admission, nowMs);
      const result = enter(admission, last, nowMs);
      if (typeof result !== "number") return;
      refusals++;
      const early = enter(admission, last, nowMs + result - 1);
      assertEquals(early, 1, "it is refused a moment before, and has taken nothing");
      const again = enter(admission, last, nowMs + result);
      // A request that was refused before its body was read learned of the limit of requests only.
      if (byRequests && typeof again === "number") {
        assertEquals(isFull(admission, nowMs + result), false);
      } else assertEquals(typeof again, "object");
    }),
    { numRuns: 2_000 },
  );
  assertEquals(refusals > 200, true, `${refusals} refusals`);
});

Deno.test("the remaining amount can be used, and no more; after the reset all of it", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { admission, nowMs } = replay(history);
      const headers = admission.headers(KEY, nowMs);
      const remainingOf = (name: string) => Number(headers[`x-ratelimit-remaining-${name}`]);
      const tokens = remainingOf("tokens");
      const token = (amount: number) => ({ inputTokens: amount, outputTokens: 0 });
      const gets = (amount: number) => {
        try {
          return admission.reserve(KEY, token(amount), { nowMs }) !== undefined;
        } catch {
          return false;
        }
      };
      if (tokens < LIMITS.tokensPerMinute) assertEquals(gets(tokens + 1), false);
      if (tokens > 0) assertEquals(gets(tokens), true);
      const requests = replay(history).admission;
      for (let remaining = remainingOf("requests"); remaining > 0; remaining--) {
        requests.admit(KEY, nowMs);
      }
      assertEquals(requests.headers(KEY, nowMs)["x-ratelimit-remaining-requests"], "0");
      assertEquals(typeof enter(requests, { ...token(1), afterMs: 0, took: 0 }, nowMs), "number");
      const reset = replay(history).admission;
      const atMs = nowMs + msOf(headers["x-ratelimit-reset-tokens"]);
      const remaining = reset.headers(KEY, atMs)["x-ratelimit-remaining-tokens"];
      assertEquals(remaining, String(LIMITS.tokensPerMinute));
    }),
    { numRuns: 500 },
  );
});

function msOf(duration = ""): number {
  const [, minutes = "0", seconds = "0"] = /^(?:(\d+)m)?(\d+)s$/.exec(duration) ?? [];
  return (Number(minutes) * 60 + Number(seconds)) * 1_000;
}
