import { assertEquals } from "@std/assert";
import { Caller } from "./caller.ts";
import { rightPartCosts } from "./expected_charge.ts";
import type { Attempt, ClaimedUsage } from "./scripted_upstream.ts";
import { judgeSplitEnd } from "./split_verdicts.ts";

const SCRIPT = { failures: [], words: 5, usageFirst: false } as const;
const CATALOG = JSON.stringify({
  models: [{ id: "m", price: { inputPerMTok: "1", cachedInputPerMTok: "1", outputPerMTok: "2" } }],
  tiers: [{ id: "t", creditsPerUsd: "1" }],
});

/** Returns the right costs of the planner's call, three tokens long and answered by five words. */
function costsOfPlan(changes: Partial<Attempt>): bigint[] {
  const attempt: Attempt = {
    ...{ request: 0, part: "plan", model: "m", promptTokens: 3, promptTokensAtLeast: 3 },
    passesLimit: false,
    ...{ holdId: undefined, script: SCRIPT, drains: false, words: 5, usage: undefined },
    ...{ ended: true, finished: true, cancelled: false, over: true },
    ...changes,
  };
  return rightPartCosts({
    ...{
      attempt,
      promptTokens: 3,
      read: 0,
      stream: false,
      catalog: CATALOG,
      model: "m",
      tier: "t",
    },
    ...{ hasLeft: false, leftForMs: -1, interrupted: false },
  });
}

Deno.test("a plan that finished is counted; one whose time ran out before its end costs nothing", () => {
  const cutOff = { ended: false, cancelled: true };
  const usage: ClaimedUsage = { input: 4, cached: 0, output: 6 };
  assertEquals(costsOfPlan({}), [13n]);
  assertEquals(costsOfPlan(cutOff), [0n]);
  assertEquals(costsOfPlan({ usage }), [16n]);
  assertEquals(costsOfPlan({ ...cutOff, usage }), [16n]);
});

/** Returns the violations of a failed request that reported 96 micros. */
function accusationsOf(end: Partial<Parameters<typeof judgeSplitEnd>[1]>): string[] {
  const question = {
    seed: 1,
    key: 0,
    surface: "chat",
    stream: true,
    words: 1,
    maxTokens: 9,
  } as const;
  const never = () => false;
  const options = { founded: 0, isRevoked: never, isClosed: never, nowMs: 0, tierChanges: 0 };
  const caller = new Caller(0, { ...question, script: SCRIPT }, options);
  caller.state = "broken";
  caller.text = `data: {"error":{"code":"shutting_down"},` +
    `"metadata":{"billing":{"charged":"0.000096"}}}\n\n`;
  const violations: string[] = [];
  judgeSplitEnd(
    caller,
    { charged: 96n, isDoubted: false, isLate: false, late: [], ...end },
    (invariant) => void violations.push(invariant),
  );
  return violations;
}

Deno.test("a failure reports its cost, but for the call whose settlement failed", () => {
  const wrong = ["a failure reports its cost"];
  assertEquals(accusationsOf({}), []);
  assertEquals(accusationsOf({ charged: 105n }), wrong);
  assertEquals(accusationsOf({ charged: 105n, isLate: true }), wrong);
  assertEquals(accusationsOf({ charged: 53n, isLate: true }), []);
  const lateAt = (charged: bigint, recovered: boolean) => ({
    ...{ charged: 105n, isLate: true, late: [{ charged, recovered }] },
  });
  assertEquals(accusationsOf(lateAt(9n, false)), []);
  assertEquals(accusationsOf(lateAt(8n, false)), wrong);
  assertEquals(accusationsOf(lateAt(52n, true)), []);
});
