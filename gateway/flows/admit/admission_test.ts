import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { Admission } from "./admission.ts";

const NOW_MS = 1_800_000_000_000;

function key(policy: KeyPolicy, id = "key_1"): KeyRecord {
  return { id, name: "n", walletId: "w", status: "active", policy, hint: "", createdAtMs: 0 };
}

function refusal(run: () => unknown): ServiceFault {
  const fault = assertThrows(run, ServiceFault);
  assertEquals(fault.code, "rate_limit_exceeded");
  return fault;
}

function header(admission: Admission, limited: KeyRecord, name: string, nowMs = NOW_MS) {
  return admission.headers(limited, nowMs)[`x-ratelimit-${name}`];
}

Deno.test("a key without limits is let in, without headers", () => {
  const admission = new Admission();
  admission.admit(key({}), NOW_MS).leave();
  assertEquals(admission.headers(key({}), NOW_MS), {});
});

Deno.test("requests a minute: the headers count down, then 429 with the time to wait", () => {
  const admission = new Admission();
  const limited = key({ requestsPerMinute: 2 });
  for (const remaining of ["1", "0"]) {
    admission.admit(limited, NOW_MS);
    assertEquals(header(admission, limited, "remaining-requests"), remaining);
  }
  const waitMs = refusal(() => admission.admit(limited, NOW_MS)).retryAfterMs ?? 0;
  assertEquals(waitMs, 65_000);
  assertEquals(admission.headers(limited, NOW_MS), {
    "x-ratelimit-limit-requests": "2",
    "x-ratelimit-remaining-requests": "0",
    "x-ratelimit-reset-requests": "1m5s",
  });
  assertEquals(header(admission, limited, "reset-requests", NOW_MS + 58_500), "7s");
  assertEquals(header(admission, limited, "reset-requests", NOW_MS + 65_000), "0s");
  refusal(() => admission.admit(limited, NOW_MS + waitMs - 1));
  admission.admit(limited, NOW_MS + waitMs);
  admission.admit(key({ requestsPerMinute: 2 }, "key_2"), NOW_MS);
});

Deno.test("concurrent requests: a place is given back once, however often its request leaves", () => {
  const admission = new Admission();
  const limited = key({ concurrentRequests: 1 });
  const first = admission.admit(limited, NOW_MS);
  refusal(() => admission.admit(limited, NOW_MS));
  assertEquals(admission.headers(limited, NOW_MS), {
    "x-ratelimit-limit-concurrent-requests": "1",
    "x-ratelimit-remaining-concurrent-requests": "0",
  });
  first.leave();
  const second = admission.admit(limited, NOW_MS);
  first.leave();
  refusal(() => admission.admit(limited, NOW_MS));
  second.leave();
  assertEquals(header(admission, limited, "remaining-concurrent-requests"), "1");
});

Deno.test("concurrent requests are counted however many other keys are in use", () => {
  const admission = new Admission();
  const limited = key({ concurrentRequests: 1, requestsPerMinute: 100 });
  admission.admit(limited, NOW_MS);
  for (let n = 0; n < 50_000; n++) {
    admission.admit(key({ requestsPerMinute: 1 }, `other_${n}`), NOW_MS);
  }
  refusal(() => admission.admit(limited, NOW_MS));
});

Deno.test("a request refused by one limit takes nothing from another, and waits for both", () => {
  const admission = new Admission();
  const limited = key({ concurrentRequests: 1, requestsPerMinute: 1 });
  const first = admission.admit(limited, NOW_MS);
  assertEquals(refusal(() => admission.admit(limited, NOW_MS)).retryAfterMs, 65_000);
  first.leave();
  refusal(() => admission.admit(limited, NOW_MS));
  admission.admit(limited, NOW_MS + 70_000).leave();
  admission.admit(limited, NOW_MS + 140_000);
});

Deno.test("a request refused for its tokens is not counted as a request", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 100, requestsPerMinute: 2 });
  admission.admit(limited, NOW_MS);
  admission.reserve(limited, { inputTokens: 60, outputTokens: 0 }, { nowMs: NOW_MS });
  for (const inputTokens of [60, 101, 60]) {
    const { atMs: admittedAtMs } = admission.admit(limited, NOW_MS);
    const nowMs = NOW_MS + 6_000;
    const estimate = { inputTokens, outputTokens: 0 };
    refusal(() => admission.reserve(limited, estimate, { nowMs, admittedAtMs }));
  }
  assertEquals(header(admission, limited, "remaining-requests"), "1");
});

Deno.test("tokens per minute: spent tokens refuse the next request until they expire", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 100 });
  assertEquals(header(admission, limited, "remaining-tokens"), "100");
  admission.spent(limited, 250, NOW_MS);
  const estimate = { inputTokens: 1, outputTokens: 0 };
  const fault = refusal(() => admission.reserve(limited, estimate, { nowMs: NOW_MS }));
  assertEquals(fault.retryAfterMs, 65_000);
  assertEquals(admission.headers(limited, NOW_MS), {
    "x-ratelimit-limit-tokens": "100",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": "1m5s",
  });
  admission.reserve(limited, estimate, { nowMs: NOW_MS + 65_000 });
  admission.spent(key({}), 1_000, NOW_MS);
});

Deno.test("tokens per minute: concurrent requests share the limit", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 50 });
  let passed = 0;
  for (let n = 0; n < 20; n++) {
    try {
      admission.reserve(limited, { inputTokens: 9, outputTokens: 10 }, { nowMs: NOW_MS });
      passed++;
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      assertEquals([error.code, error.retryAfterMs], ["rate_limit_exceeded", 65_000]);
    }
  }
  assertEquals(passed, 2);
});

Deno.test("tokens per minute: the true number replaces the reservation, once", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 100 });
  const remaining = (nowMs: number) => header(admission, limited, "remaining-tokens", nowMs);
  const estimate = { inputTokens: 10, outputTokens: 500 };
  const reserved = admission.reserve(limited, estimate, { nowMs: NOW_MS });
  assertEquals(reserved?.tokens, 100, "output is guessed, so it is cut to what fits");
  refusal(() => admission.reserve(limited, estimate, { nowMs: NOW_MS }));
  const nowMs = NOW_MS + 20_000;
  admission.spent(limited, 30, nowMs, reserved);
  assertEquals(remaining(nowMs), "70");
  admission.spent(limited, 0, nowMs, reserved);
  assertEquals(remaining(nowMs), "70");
  admission.spent(limited, 5, nowMs, reserved);
  assertEquals(remaining(nowMs), "65", "a further call of the same request");
  const failed = admission.reserve(limited, { inputTokens: 10, outputTokens: 20 }, { nowMs });
  assertEquals(remaining(nowMs), "35");
  admission.spent(limited, 0, nowMs, failed);
  assertEquals(remaining(nowMs), "65");
});

Deno.test("tokens per minute: the refusal of an input above the limit says that waiting cannot help", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 100 });
  const estimate = { inputTokens: 101, outputTokens: 1 };
  const fault = refusal(() => admission.reserve(limited, estimate, { nowMs: NOW_MS }));
  assertStringIncludes(
    fault.message,
    "about 101 tokens, more than the key's limit of 100 per minute",
  );
  assertEquals(fault.retryAfterMs, Infinity);
  assertEquals(admission.reserve(key({}), estimate, { nowMs: NOW_MS }), undefined);
  admission.spent(key({}), 1, NOW_MS, undefined);
});
