/**
 * What a limited key is told is the truth, whatever it has done before: of a history that is replayed,
 * what remains can be had and no more, and after the time to wait, and not before, the same request is
 * let in.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import { Admission, type Reservation } from "./admission.ts";

const START_MS = 1_800_000_000_000;
const LIMITS = { requestsPerMinute: 6, tokensPerMinute: 500 };
const KEY: KeyRecord = {
  ...{ id: "key_1", name: "n", walletId: "w", status: "active", hint: "", createdAtMs: 0 },
  policy: LIMITS,
};

/** A request: when it comes (a clock may go back), what it is thought to take, what it took; `undefined`: still under way. */
interface Asked {
  readonly afterMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly took: number | undefined;
}

/** Lets a request in, or tells how long it is to wait. */
function enter(admission: Admission, asked: Asked, nowMs: number): Reservation | number {
  try {
    const { atMs: admittedAtMs } = admission.admit(KEY, nowMs);
    const reserved = admission.reserve(KEY, asked, { nowMs, admittedAtMs });
    return reserved ?? 0;
  } catch (error) {
    if (!(error instanceof ServiceFault)) throw error;
    return error.retryAfterMs ?? 0;
  }
}

/** Whether the limit of requests leaves none. */
function isFull(admission: Admission, nowMs: number): boolean {
  return admission.headers(KEY, nowMs)["x-ratelimit-remaining-requests"] === "0";
}

/** What a history of requests leaves, and when. */
function replay(history: readonly Asked[]) {
  const admission = new Admission();
  let nowMs = START_MS;
  for (const asked of history) {
    nowMs += asked.afterMs;
    const entered = enter(admission, asked, nowMs);
    if (typeof entered === "number" || asked.took === undefined) continue;
    admission.spent(KEY, asked.took, nowMs, entered);
  }
  return { admission, nowMs };
}

const asked: fc.Arbitrary<Asked> = fc.record({
  afterMs: fc.oneof(fc.constant(0), fc.nat(30_000), fc.integer({ min: -30_000, max: 0 })),
  inputTokens: fc.integer({ min: 1, max: 300 }),
  outputTokens: fc.nat(300),
  took: fc.option(fc.nat(700), { nil: undefined }),
});
const histories = fc.array(asked, { maxLength: 15 });

Deno.test("after exactly the time to wait the same request is let in, and not a moment before", () => {
  let refusals = 0;
  fc.assert(
    fc.property(histories, asked, (history, last) => {
      const { admission, nowMs } = replay(history);
      const byRequests = isFull(admission, nowMs);
      const told = enter(admission, last, nowMs);
      if (typeof told !== "number") return;
      refusals++;
      const early = enter(admission, last, nowMs + told - 1);
      assertEquals(early, 1, "it is refused a moment before, and has taken nothing");
      const again = enter(admission, last, nowMs + told);
      // Who was refused before the body was read was told of requests alone: tokens may be short yet.
      if (byRequests && typeof again === "number") {
        assertEquals(isFull(admission, nowMs + told), false);
      } else assertEquals(typeof again, "object");
    }),
    { numRuns: 2_000 },
  );
  assertEquals(refusals > 200, true, `${refusals} refusals`);
});

Deno.test("what remains can be had, and no more; after the reset all of it", () => {
  fc.assert(
    fc.property(histories, (history) => {
      const { admission, nowMs } = replay(history);
      const headers = admission.headers(KEY, nowMs);
      const said = (name: string) => Number(headers[`x-ratelimit-remaining-${name}`]);
      const tokens = said("tokens");
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
      for (let left = said("requests"); left > 0; left--) requests.admit(KEY, nowMs);
      assertEquals(requests.headers(KEY, nowMs)["x-ratelimit-remaining-requests"], "0");
      assertEquals(typeof enter(requests, { ...token(1), afterMs: 0, took: 0 }, nowMs), "number");
      const reset = replay(history).admission;
      const atMs = nowMs + msOf(headers["x-ratelimit-reset-tokens"]);
      const left = reset.headers(KEY, atMs)["x-ratelimit-remaining-tokens"];
      assertEquals(left, String(LIMITS.tokensPerMinute));
    }),
    { numRuns: 500 },
  );
});

function msOf(duration = ""): number {
  const [, minutes = "0", seconds = "0"] = /^(?:(\d+)m)?(\d+)s$/.exec(duration) ?? [];
  return (Number(minutes) * 60 + Number(seconds)) * 1_000;
}
