/**
 * Fills a store with a journal of so many entries, by the real writer: `PATH ENTRIES`. Holds of eight
 * wallets and thirty-two keys, most of them settled, some voided, a few left open.
 *
 * @module
 */

import { openKvStores } from "../../gateway/stores/kv/open.ts";

const WALLETS = 8;
const KEYS = 32;
/** Calls in flight at once: as many as a busy gateway has. */
const CALLERS = 256;
const HELD_MICROS = 40_000n;
const NO_WAIT = { waitMs: 0 };

const [path = "", count = "0"] = Deno.args;
const entries = Number(count);
const stores = await openKvStores(path);
const { ledger } = stores;
// A day of calls.
const stepMs = 86_400_000 / Math.max(1, entries);
let atMs = Date.UTC(2026, 10, 21);
let written = 0;
let calls = 0;

function tick(): number {
  written++;
  atMs += stepMs;
  return Math.floor(atMs);
}

async function call(): Promise<void> {
  const number = calls++;
  const holdId = `hold_${number.toString(36).padStart(20, "0")}`;
  const keyId = `key_${(number % KEYS).toString().padStart(20, "0")}`;
  const walletId = `wallet-${number % WALLETS}`;
  const logId = `log_${number.toString(36).padStart(20, "0")}`;
  const what = { holdId, walletId, keyId, logId, model: "fast-mini", priceVersion: 1 };
  const amounts = { amount: HELD_MICROS, minimum: 1_000n, budget: {} };
  await ledger.hold({ kind: "hold", ...what, ...amounts, atMs: tick() }, NO_WAIT);
  if (number % 50 === 0) {
    await ledger.voidHold({ kind: "void", holdId, reason: "upstream failed", atMs: tick() });
    return;
  }
  const tokens = { inputTokens: 900, cachedInputTokens: 100, outputTokens: 200, estimated: false };
  const cost = BigInt(1_000 + number % 30_000);
  await ledger.settle({ kind: "settle", holdId, cost, ...tokens, atMs: tick() });
}

for (let wallet = 0; wallet < WALLETS; wallet++) {
  const walletId = `wallet-${wallet}`;
  await ledger.open({ kind: "open", walletId, tier: "standard", atMs: tick() });
  const payment = { opId: `fill ${wallet}`, walletId, amount: 10n ** 15n, note: "Filled" };
  await ledger.credit({ kind: "credit", ...payment, atMs: tick() });
}
await Promise.all(Array.from({ length: CALLERS }, async () => {
  while (written < entries) await call();
}));
await stores.close();
console.log(`filled ${written}`);
