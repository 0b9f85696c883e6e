import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { ServiceFault } from "../domain/fault.ts";
import type { KeyRecord } from "../domain/key.ts";
import type { KeyPolicy } from "../domain/policy.ts";
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

Deno.test("a key without limits is let in, without headers", () => {
  const admitted = new Admission().admit(key({}), NOW_MS);
  assertEquals(admitted.headers, {});
  admitted.leave();
});

Deno.test("requests a minute: the headers count down, then 429 with the time to wait", () => {
  const admission = new Admission();
  const limited = key({ requestsPerMinute: 2 });
  assertEquals(admission.admit(limited, NOW_MS).headers["x-ratelimit-remaining-requests"], "1");
  assertEquals(admission.admit(limited, NOW_MS).headers["x-ratelimit-remaining-requests"], "0");
  const fault = refusal(() => admission.admit(limited, NOW_MS));
  assertEquals(fault.headers["x-ratelimit-limit-requests"], "2");
  const waitMs = fault.retryAfterMs ?? 0;
  refusal(() => admission.admit(limited, NOW_MS + waitMs - 1));
  admission.admit(limited, NOW_MS + waitMs);
  admission.admit(key({ requestsPerMinute: 2 }, "key_2"), NOW_MS);
});

Deno.test("requests at once: a place is given back once, however often it is left", () => {
  const admission = new Admission();
  const limited = key({ concurrentRequests: 1 });
  const first = admission.admit(limited, NOW_MS);
  refusal(() => admission.admit(limited, NOW_MS));
  first.leave();
  first.leave();
  const second = admission.admit(limited, NOW_MS);
  refusal(() => admission.admit(limited, NOW_MS));
  second.leave();
});

Deno.test("a request refused by one limit takes nothing from another", () => {
  const admission = new Admission();
  const limited = key({ concurrentRequests: 1, requestsPerMinute: 1 });
  const first = admission.admit(limited, NOW_MS);
  refusal(() => admission.admit(limited, NOW_MS));
  first.leave();
  refusal(() => admission.admit(limited, NOW_MS));
  admission.admit(limited, NOW_MS + 70_000).leave();
  admission.admit(limited, NOW_MS + 140_000);
});

Deno.test("tokens a minute: what was spent keeps the next request out until it has passed", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 100 });
  assertEquals(admission.admit(limited, NOW_MS).headers["x-ratelimit-remaining-tokens"], "100");
  admission.spent(limited, 250, NOW_MS);
  refusal(() => admission.admit(limited, NOW_MS));
  admission.admit(limited, NOW_MS + 70_000);
  admission.spent(key({}), 1_000, NOW_MS);
});

Deno.test("tokens a minute: requests at once share what there is", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 50 });
  let passed = 0;
  for (let n = 0; n < 20; n++) {
    try {
      admission.admit(limited, NOW_MS);
      admission.reserve(limited, { inputTokens: 9, outputTokens: 10 }, NOW_MS);
      passed++;
    } catch (error) {
      if (!(error instanceof ServiceFault)) throw error;
      assertEquals(error.code, "rate_limit_exceeded");
      assert((error.retryAfterMs ?? 0) > 0);
    }
  }
  assertEquals(passed, 2);
});

Deno.test("tokens a minute: the truth takes the place of what was reserved, once", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 100 });
  const remaining = (nowMs: number) =>
    admission.admit(limited, nowMs).headers["x-ratelimit-remaining-tokens"];
  const estimate = { inputTokens: 10, outputTokens: 500 };
  const reserved = admission.reserve(limited, estimate, NOW_MS);
  assertEquals(reserved?.tokens, 100, "output is guessed, so it is cut to what fits");
  refusal(() => admission.reserve(limited, estimate, NOW_MS));
  const laterMs = NOW_MS + 20_000;
  admission.spent(limited, 30, laterMs, reserved);
  assertEquals(remaining(laterMs), "70");
  admission.spent(limited, 0, laterMs, reserved);
  assertEquals(remaining(laterMs), "70");
  admission.spent(limited, 5, laterMs, reserved);
  assertEquals(remaining(laterMs), "65", "a further call of the same request");
  const failed = admission.reserve(limited, { inputTokens: 10, outputTokens: 20 }, laterMs);
  assertEquals(remaining(laterMs), "35");
  admission.spent(limited, 0, laterMs, failed);
  assertEquals(remaining(laterMs), "65");
});

Deno.test("tokens a minute: an input larger than the limit is told that waiting cannot help", () => {
  const admission = new Admission();
  const limited = key({ tokensPerMinute: 100 });
  const estimate = { inputTokens: 101, outputTokens: 1 };
  const fault = refusal(() => admission.reserve(limited, estimate, NOW_MS));
  assertStringIncludes(fault.message, "some 101 tokens, more than the 100 a minute");
  assertEquals([fault.retryAfterMs, fault.headers["x-should-retry"]], [undefined, "false"]);
  assertEquals(admission.reserve(key({}), estimate, NOW_MS), undefined);
  admission.spent(key({}), 1, NOW_MS, undefined);
});
