import { assertEquals } from "@std/assert";
import type { SettleCommand } from "../domain/ledger.ts";
import type { LogFields } from "../ports/logger.ts";
import { StoreError } from "../ports/store_error.ts";
import { settleForSure } from "./settle_for_sure.ts";

const ENDING: SettleCommand = {
  ...{ kind: "settle", holdId: "h", cost: 7n, estimated: false, atMs: 1 },
  ...{ inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
};
const LANDED = { ok: true, value: { charged: 7n, writtenOff: 0n } } as const;
const IN_DOUBT = new StoreError("not known yet", { inDoubt: true });
const UNCHANGED = new StoreError("nothing has changed");

/** Settles at a store that answers so, the last answer for ever; what the operator was told. */
async function settleAt(answers: readonly (typeof LANDED | StoreError)[], maxMs = 60_000) {
  const told: unknown[] = [];
  let tries = 0;
  const settle = (): Promise<typeof LANDED> => {
    const answer = answers[Math.min(tries++, answers.length - 1)] ?? LANDED;
    return answer instanceof StoreError ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const error = (event: string, fields?: LogFields) => void told.push([event, fields?.holdId]);
  const gateway = {
    ledger: { settle },
    logger: { info: () => {}, warn: () => {}, error },
  };
  const call = { ending: ENDING, rows: {} };
  const failed = await settleForSure(gateway, call, { maxMs, retryMs: 1 }).catch((error) => error);
  return { failed, tries: () => tries, told };
}

Deno.test("a settlement in doubt is asked for again until it has landed", async () => {
  const { failed, tries, told } = await settleAt([IN_DOUBT, IN_DOUBT, LANDED]);
  assertEquals([failed, tries(), told], [undefined, 3, []]);
});

Deno.test("one that has not landed is given up at once", async () => {
  const { failed, tries, told } = await settleAt([UNCHANGED]);
  assertEquals([failed, tries(), told], [UNCHANGED, 1, []]);
});

Deno.test("a later try that changes nothing does not settle whether an earlier one has landed", async () => {
  const { failed, tries, told } = await settleAt([IN_DOUBT, UNCHANGED, LANDED]);
  assertEquals([failed, tries(), told], [undefined, 3, []]);
  const late = await settleAt([IN_DOUBT, UNCHANGED], 30);
  assertEquals([late.failed, late.told], [UNCHANGED, [["charge_in_doubt", "h"]]]);
});

Deno.test("where nobody can tell for too long, the operator is told", async () => {
  const { failed, told } = await settleAt([IN_DOUBT], 30);
  assertEquals([failed, told], [IN_DOUBT, [["charge_in_doubt", "h"]]]);
});
