/**
 * Split requests in which anything goes wrong at any stage, several at once: whatever happens, the
 * books add up to what the log says, and nothing stays open.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseCredits } from "../../../gateway/domain/ledger/money.ts";
import { COMPARISON, orchestrationLab } from "../../fixtures/orchestrated.ts";
import type { RequestRecord } from "../../../gateway/ports/request_log.ts";
import { until } from "../../fixtures/service.ts";
import type { Doing } from "../../fixtures/task_upstream.ts";

const STAGES = ["plan", "tea", "coffee", "cocoa", "final", "plain"] as const;
/** Requests at once. */
const AT_ONCE = 4;

const doing: fc.Arbitrary<Doing> = fc.oneof(
  fc.constantFrom<Doing>(
    { status: 500 },
    { status: 429 },
    { status: 400 },
    { cutAfter: "Half of it " },
    { stallAfter: "Half of it " },
    { stallAfter: "" },
    { say: "" },
    { say: "nonsense" },
  ),
);

const request = fc.record({
  stream: fc.boolean(),
  choice: fc.constantFrom("all", "final"),
  surface: fc.constantFrom("chat/completions", "responses"),
  /** Milliseconds after which the caller leaves. */
  leavesAfter: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined }),
});

const scenario = fc.record({
  trouble: fc.array(fc.tuple(fc.constantFrom(...STAGES), doing), { maxLength: 8 }),
  requests: fc.array(request, { minLength: 1, maxLength: AT_ONCE }),
  credits: fc.constantFrom("1000", "1000", "60", "25"),
  cap: fc.constantFrom(undefined, undefined, "40"),
});

function chargedIn(records: readonly RequestRecord[]): bigint {
  return records.reduce((sum, { charged }) => sum + (parseCredits(charged) ?? 0n), 0n);
}

Deno.test("after any failures of split requests, each hold ends and the bills equal the journal", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ trouble, requests, credits, cap }) => {
      // A pool of its own: models that have failed are left alone for a while.
      await using lab = await orchestrationLab({ upstream: { timeouts: { idleMs: 120 } } });
      const { service, upstream } = lab;
      const { log } = service.running.stores;
      for (const [stage, what] of trouble) upstream.on(stage, what);
      const policy = cap === undefined ? {} : { maxChargePerRequest: cap };
      const { id, key, wallet } = await service.newKey({ credits, policy });
      await Promise.all(requests.map(async ({ stream, choice, surface, leavesAfter }) => {
        const question = surface === "responses"
          ? { input: COMPARISON }
          : { messages: [{ role: "user", content: COMPARISON }] };
        const leaving = new AbortController();
        const timer = leavesAfter === undefined
          ? undefined
          : setTimeout(() => leaving.abort(), leavesAfter);
        try {
          const response = await fetch(`${service.openaiUrl}/${surface}`, {
            method: "POST",
            headers: {
              "content-type": "application/json",
              authorization: `Bearer ${key}`,
              "x-orchestration": choice,
            },
            body: JSON.stringify({ model: "auto", stream, ...question }),
            signal: leaving.signal,
          });
          const text = await response.text();
          assert(response.status !== 500, text);
        } catch (error) {
          if (!leaving.signal.aborted) throw error;
        } finally {
          clearTimeout(timer);
        }
      }));
      await service.assertBooks();
      const rows = async () => (await log.search({ keyId: id, limit: 50 })).records;
      // The row of who left before the answer began is written beside that.
      await until(
        async () => chargedIn(await rows()) === (await service.wallet(wallet)).spent,
        "the log to have the whole bill",
      );
      const records = await rows();
      const stayed = requests.filter(({ leavesAfter }) => leavesAfter === undefined).length;
      assert(records.length >= stayed && records.length <= requests.length, `${records.length}`);
      const most = parseCredits(cap ?? "1000") ?? 0n;
      for (const row of records) assert((parseCredits(row.charged) ?? 0n) <= most, row.charged);
      const errors = service.logs.filter(({ level, event }) =>
        level === "error" && event !== "stream_failed"
      );
      assertEquals(errors, []);
      await service.quiet();
    }),
    { numRuns: 40, seed: 6, endOnFailure: true },
  );
});
