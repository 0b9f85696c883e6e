import { assertEquals, assertFalse, assertRejects } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { type KeyCounts, NO_COUNTS } from "../../domain/limits/key_limits.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import type { SharedCounts } from "../../ports/shared_counts.ts";
import { Admission } from "./admission.ts";
import { SharedAdmission } from "./shared_admission.ts";

const NOW_MS = 1_800_000_000_000;
/** The store's clock is ahead of the instance's. */
const AHEAD_MS = 30_000;

function key(policy: KeyPolicy): KeyRecord {
  return {
    id: "key",
    name: "n",
    walletId: "w",
    status: "active",
    policy,
    hint: "",
    createdAtMs: 0,
  };
}

/** Counts in memory, changed at once, as the only store of all instances. */
function countsInMemory(clock: { nowMs: number }): SharedCounts & { changes: number } {
  const known = new Map<string, KeyCounts>();
  const counts = {
    changes: 0,
    change: <Result>(...[id, decide]: Parameters<SharedCounts["change"]>) => {
      counts.changes++;
      const decision = decide(known.get(id) ?? NO_COUNTS, clock.nowMs + AHEAD_MS);
      known.set(id, decision.counts);
      return Promise.resolve(decision.result as Result);
    },
    correct: (...[id, correct]: Parameters<SharedCounts["correct"]>) => {
      known.set(id, correct(known.get(id) ?? NO_COUNTS, clock.nowMs + AHEAD_MS));
    },
  };
  return counts;
}

Deno.test("a key without limits is let in at once, and counts nothing", () => {
  const counts = countsInMemory({ nowMs: NOW_MS });
  const shared = new SharedAdmission(counts);
  assertFalse(shared.admit(key({}), NOW_MS) instanceof Promise);
  const estimate = { inputTokens: 1, outputTokens: 1 };
  assertEquals(shared.reserve(key({}), estimate, { nowMs: NOW_MS }), undefined);
  assertEquals([shared.headers(key({}), NOW_MS), counts.changes], [{}, 0]);
});

Deno.test("two instances decide, and answer in headers, as one process would", async () => {
  const clock = { nowMs: NOW_MS };
  const counts = countsInMemory(clock);
  const instances = [new SharedAdmission(counts), new SharedAdmission(counts)];
  const alone = new Admission();
  const limited = key({ requestsPerMinute: 9, tokensPerMinute: 900, concurrentRequests: 2 });
  const estimate = { inputTokens: 60, outputTokens: 60 };
  for (let turn = 0; turn < 40; turn++, clock.nowMs += 2_500) {
    const shared = instances[turn % 2] ?? new SharedAdmission(counts);
    // The windows of the store's clock begin at other times.
    const aloneMs = clock.nowMs + AHEAD_MS;
    const ends = [];
    for (const [limits, nowMs] of [[shared, clock.nowMs], [alone, aloneMs]] as const) {
      try {
        const { atMs: admittedAtMs, leave } = await limits.admit(limited, nowMs);
        try {
          const reserved = await limits.reserve(limited, estimate, { nowMs, admittedAtMs });
          limits.spent(limited, turn * 10, nowMs, reserved);
          ends.push([reserved?.tokens, limits.headers(limited, nowMs)]);
        } finally {
          leave();
        }
      } catch (error) {
        ends.push([
          error instanceof ServiceFault && [error.code, error.message, error.retryAfterMs],
          limits.headers(limited, nowMs),
        ]);
      }
    }
    assertEquals(ends[0], ends[1], `turn ${turn}`);
    // The other instance reads the counts themselves, not what it saw last.
    const other = instances[(turn + 1) % 2] ?? shared;
    assertEquals(await other.remaining(limited), alone.remaining(limited, aloneMs));
  }
});

Deno.test("a failure of the store refuses a key with limits", async () => {
  const failing: SharedCounts = {
    change: () => Promise.reject(new Error("away")),
    correct: () => {},
  };
  const shared = new SharedAdmission(failing);
  await assertRejects(async () => await shared.admit(key({ requestsPerMinute: 1 }), NOW_MS), Error);
});
