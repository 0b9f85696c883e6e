/**
 * One instance of several on one PostgreSQL database and one wallet: `URL CALLERS INSTANCE`. Each
 * caller holds and settles, again and again, for the seconds of each line of standard input. Prints a
 * line for each: the times of all holds and settlements, in hundredths of a millisecond. The wallet is
 * there already.
 *
 * @module
 */

import { TextLineStream } from "@std/streams";
import type { LedgerStore } from "../../../gateway/ports/ledger_store.ts";
import { openPostgresStores } from "../../../gateway/stores/postgres/open.ts";
import { systemClock } from "../../../gateway/system/clock.ts";

const WALLET = "one";
const AMOUNT_MICROS = 40_000n;
const COST_MICROS = 12_345n;
const NO_WAIT = { waitMs: 0 };
/** Keys that the callers of one instance share. */
const KEYS = 8;

/** The result of one measurement. */
export interface WalletTimes {
  readonly seconds: number;
  /** Of each hold and each settlement, in hundredths of a millisecond. */
  readonly times: readonly number[];
  /** Batches of this instance, and the operations in them. */
  readonly batches: number;
  readonly operations: number;
}

if (import.meta.main) {
  const [url = "", callers = "1", instance = "0"] = Deno.args;
  let [calls, batches, operations] = [0, 0, 0];
  const stores = await openPostgresStores(url, {
    clock: systemClock,
    onTried: (commit) => {
      batches++;
      operations += commit.operations;
    },
  });

  const call = async (ledger: LedgerStore, times: number[]): Promise<void> => {
    const number = calls++;
    const holdId = `hold_${instance}${number.toString(36).padStart(19, "0")}`;
    const keyId = `key_${(number % KEYS).toString().padStart(20, "0")}`;
    const logId = `log_${instance}_${number}`;
    const who = { holdId, walletId: WALLET, keyId, logId, model: "fast-mini" };
    const what = { ...who, priceVersion: 1, amount: AMOUNT_MICROS, minimum: 1_000n, budget: {} };
    const startMs = performance.now();
    const held = await ledger.hold({ kind: "hold", ...what, atMs: Date.now() }, NO_WAIT);
    const heldMs = performance.now();
    const tokens = { inputTokens: 900, cachedInputTokens: 0, outputTokens: 90, estimated: false };
    const cost = { holdId, cost: COST_MICROS, ...tokens };
    const settled = await ledger.settle({ kind: "settle", ...cost, atMs: Date.now() });
    times.push(...[heldMs - startMs, performance.now() - heldMs].map((ms) => Math.round(ms * 100)));
    if (!held.ok || !settled.ok) throw new Error("Cannot measure: the ledger refused");
  };

  console.log("ready");
  const lines = Deno.stdin.readable.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream());
  for await (const seconds of lines) {
    const times: number[] = [];
    [batches, operations] = [0, 0];
    const startMs = performance.now();
    const endMs = startMs + Number(seconds) * 1_000;
    await Promise.all(Array.from({ length: Number(callers) }, async () => {
      while (performance.now() < endMs) await call(stores.ledger, times);
    }));
    const took = (performance.now() - startMs) / 1_000;
    const measured: WalletTimes = { seconds: took, times, batches, operations };
    console.log(JSON.stringify(measured));
  }
  await stores.close();
}
