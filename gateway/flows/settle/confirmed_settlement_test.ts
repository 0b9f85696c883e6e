import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { ServiceFault } from "../../domain/fault.ts";
import { InvariantError } from "../../domain/invariant.ts";
import type { SettleCommand } from "../../domain/ledger/ledger.ts";
import type { LogFields } from "../../ports/logger.ts";
import { StoreError } from "../../ports/store_error.ts";
import { isRefused, settleUntilConfirmed } from "./confirmed_settlement.ts";

const ENDING: SettleCommand = {
  ...{ kind: "settle", holdId: "h", cost: 7n, estimated: false, atMs: 1 },
  ...{ inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
};
const LANDED = { ok: true, value: { charged: 7n, writtenOff: 0n } } as const;
const IN_DOUBT = new StoreError("not known yet", { inDoubt: true });
const UNCHANGED = new StoreError("nothing has changed");
const FORGOTTEN = { ok: false, refusal: "hold_not_found" } as const;
const REUSED = { ok: false, refusal: "id_reused" } as const;

const ENDED = { ok: false, refusal: "hold_ended" } as const;

type Answer = typeof LANDED | typeof FORGOTTEN | typeof REUSED | typeof ENDED | StoreError;

/** Settles at a store with these results, the last one repeated; returns the log lines. */
async function settleAt(answers: readonly Answer[], maxMs = 60_000) {
  const lines: unknown[] = [];
  let tries = 0;
  const settle = (): Promise<Exclude<Answer, StoreError>> => {
    const answer = answers[Math.min(tries++, answers.length - 1)] ?? LANDED;
    return answer instanceof StoreError ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const error = (event: string, fields?: LogFields) =>
    void lines.push([event, fields?.holdId, fields?.requestId]);
  const deps = {
    ledger: { settle },
    logger: { info: () => {}, warn: () => {}, error },
  };
  const call = { ending: ENDING, rows: {}, requestId: "req_1" };
  const failed = await settleUntilConfirmed(deps, call, { maxMs, retryMs: 1 }).catch((error) =>
    error
  );
  return { failed, tries: () => tries, lines };
}

Deno.test("a settlement in doubt is repeated until it has landed", async () => {
  const { failed, tries, lines } = await settleAt([IN_DOUBT, IN_DOUBT, LANDED]);
  assertEquals([failed, tries(), lines], [undefined, 3, []]);
});

Deno.test("a settlement that has not landed is given up immediately", async () => {
  const { failed, tries, lines } = await settleAt([UNCHANGED]);
  assertEquals([failed, tries(), lines], [UNCHANGED, 1, []]);
});

Deno.test("a later try that changes nothing does not settle whether an earlier one has landed", async () => {
  const { failed, tries, lines } = await settleAt([IN_DOUBT, UNCHANGED, LANDED]);
  assertEquals([failed, tries(), lines], [undefined, 3, []]);
  const late = await settleAt([IN_DOUBT, UNCHANGED], 30);
  assertEquals([late.failed.cause, late.lines], [UNCHANGED, LOGGED]);
});

const LOGGED = [["charge_in_doubt", "h", "req_1"]];

Deno.test("if the store stays in doubt too long, the operator is informed and the caller asked not to repeat", async () => {
  const { failed, lines } = await settleAt([IN_DOUBT], 30);
  assert(failed instanceof ServiceFault);
  assertEquals([failed.code, failed.cause, lines], ["store_unavailable", IN_DOUBT, LOGGED]);
  assertEquals(failed.retryAfterMs, Infinity, "no client may send it again by itself");
});

for (const refused of [FORGOTTEN, REUSED]) {
  Deno.test(`a settlement that the ledger refuses is not reported as a charge: ${refused.refusal}`, async () => {
    const { failed, tries } = await settleAt([refused]);
    assert(failed instanceof InvariantError);
    assertStringIncludes(failed.message, refused.refusal);
    assertEquals(tries(), 1);
  });
}

Deno.test("the hold of an instance that was cut off is no bug: the call fails, and is not settled later", async () => {
  for (const answers of [[ENDED], [IN_DOUBT, ENDED]]) {
    const { failed, tries, lines } = await settleAt(answers);
    assert(failed instanceof ServiceFault);
    assertEquals([failed.code, isRefused(failed)], ["store_unavailable", true]);
    assertEquals([tries(), lines], [answers.length, []]);
  }
  assertEquals([isRefused(UNCHANGED), isRefused(IN_DOUBT)], [false, false]);
});

Deno.test("one in doubt that landed, and was forgotten among later ones, is a charge", async () => {
  const { failed, tries } = await settleAt([IN_DOUBT, FORGOTTEN]);
  assertEquals([failed, tries()], [undefined, 2]);
  const reused = await settleAt([IN_DOUBT, REUSED]);
  assert(reused.failed instanceof InvariantError);
});
