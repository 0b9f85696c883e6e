/**
 * One wallet, many callers, a store on a file: `FOLDER SECONDS ROUNDS`. Each caller holds and settles,
 * again and again. Prints a round a line: with the writer as it is, and with one commit an operation,
 * as it would be without group commit.
 *
 * @module
 */

import { join } from "@std/path";
import type { LedgerStore } from "../../gateway/ports/ledger_store.ts";
import { type KvStores, openKvStores } from "../../gateway/stores/kv/open.ts";
import type { LedgerRate, LedgerRound } from "./marks.ts";

const CALLERS = 64;
const WALLET = "one";
const AMOUNT_MICROS = 40_000n;
const COST_MICROS = 12_345n;
const NO_WAIT = { waitMs: 0 };

type Operations = Pick<LedgerStore, "hold" | "settle">;

async function open(path: string): Promise<KvStores> {
  const stores = await openKvStores(path);
  const atMs = Date.now();
  await stores.ledger.open({ kind: "open", walletId: WALLET, tier: "standard", atMs });
  const payment = { opId: "seed", walletId: WALLET, amount: 10n ** 17n, note: "" };
  await stores.ledger.credit({ kind: "credit", ...payment, atMs });
  return stores;
}

/** The same ledger, an operation at a time: each has a commit for itself. */
function oneAtATime(ledger: Operations): Operations {
  let last: Promise<unknown> = Promise.resolve();
  const after = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done;
    return done;
  };
  return {
    hold: (command, options) => after(() => ledger.hold(command, options)),
    settle: (command) => after(() => ledger.settle(command)),
  };
}

let calls = 0;

async function call(ledger: Operations, times: number[]): Promise<void> {
  const number = calls++;
  const holdId = `hold_${number.toString(36).padStart(20, "0")}`;
  const keyId = `key_${(number % 8).toString().padStart(20, "0")}`;
  const who = { holdId, walletId: WALLET, keyId, logId: `log_${number}`, model: "fast-mini" };
  const what = { ...who, priceVersion: 1, amount: AMOUNT_MICROS, minimum: 1_000n, budget: {} };
  const startMs = performance.now();
  const held = await ledger.hold({ kind: "hold", ...what, atMs: Date.now() }, NO_WAIT);
  const heldMs = performance.now();
  const tokens = { inputTokens: 900, cachedInputTokens: 0, outputTokens: 90, estimated: false };
  const cost = { holdId, cost: COST_MICROS, ...tokens };
  const settled = await ledger.settle({ kind: "settle", ...cost, atMs: Date.now() });
  times.push(heldMs - startMs, performance.now() - heldMs);
  if (!held.ok || !settled.ok) throw new Error("Cannot measure: the ledger refused");
}

async function measure(ledger: Operations, seconds: number): Promise<LedgerRate> {
  const times: number[] = [];
  const startMs = performance.now();
  const endMs = startMs + seconds * 1_000;
  await Promise.all(Array.from({ length: CALLERS }, async () => {
    while (performance.now() < endMs) await call(ledger, times);
  }));
  const tookSeconds = (performance.now() - startMs) / 1_000;
  times.sort((a, b) => a - b);
  return {
    callsPerSecond: times.length / 2 / tookSeconds,
    p50Ms: times[Math.floor(times.length * 0.5)] ?? NaN,
    p99Ms: times[Math.floor(times.length * 0.99)] ?? NaN,
  };
}

const [folder = "", seconds = "1", rounds = "1"] = Deno.args;
const grouped = await open(join(folder, "grouped.kv"));
const single = await open(join(folder, "single.kv"));
const alone = oneAtATime(single.ledger);
// The first round warms up and is not told.
for (let round = 0; round <= Number(rounds); round++) {
  const measured: LedgerRound = {
    grouped: await measure(grouped.ledger, Number(seconds)),
    single: await measure(alone, Number(seconds)),
  };
  if (round > 0) console.log(JSON.stringify(measured));
}
for (const stores of [grouped, single]) {
  const { problems } = await stores.verify();
  if (problems.length > 0) throw new Error(`The journal has errors: ${problems}`);
  await stores.close();
}
console.log("verified");
