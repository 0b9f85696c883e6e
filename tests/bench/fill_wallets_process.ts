/**
 * Fills a store with so many wallets, each with a key that has made one call: `PATH WALLETS`. The
 * ledger is written by the real writer; keys are written as rows, many in a commit, for a store
 * writes them one at a time.
 *
 * @module
 */

import { PepperBook } from "../../gateway/flows/keys/pepper_book.ts";
import { hintOf } from "../../gateway/domain/policy/key_format.ts";
import type { KeyRecord } from "../../gateway/domain/policy/key.ts";
import { linkRows, placeRows } from "../../gateway/stores/kv/keys/key_rows.ts";
import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { COUNTS_KEY, jsonRow, keyPart } from "../../gateway/stores/kv/rows.ts";
import { systemClock } from "../../gateway/system/clock.ts";
import { secretOf, walletOf } from "./growth_names.ts";

/** Wallets that are filled at once. */
const AT_ONCE = 200;
/** Keys written in one commit. */
const KEYS_AT_ONCE = 100;
const NO_WAIT = { waitMs: 0 };
const DAY_MS = 86_400_000;

const [path = "", count = "0"] = Deno.args;
const wallets = Number(count);
const startMs = Date.now() - DAY_MS;
const stores = await openKvStores(path);
const { ledger } = stores;
const { peppers } = await PepperBook.open({ ...stores, clock: systemClock });
async function fill(n: number): Promise<void> {
  const atMs = startMs + n;
  const walletId = walletOf(n);
  const holdId = `hold_${n}`;
  await ledger.open({ kind: "open", walletId, tier: "standard", atMs });
  const payment = { opId: `fill ${n}`, walletId, amount: 10n ** 12n, note: "Filled" };
  await ledger.credit({ kind: "credit", ...payment, atMs });
  const call = { walletId, keyId: idOf(n), logId: `log_${n}`, model: "fast-mini", priceVersion: 1 };
  const amounts = { amount: 40_000n, minimum: 1n, budget: {} };
  await ledger.hold({ kind: "hold", holdId, ...call, ...amounts, atMs }, NO_WAIT);
  const tokens = { inputTokens: 900, cachedInputTokens: 0, outputTokens: 200, estimated: false };
  await ledger.settle({ kind: "settle", holdId, cost: 1_000n, ...tokens, atMs });
}

function idOf(n: number): string {
  return `key_${n.toString(36).padStart(12, "0")}`;
}

function recordOf(n: number): KeyRecord {
  return {
    id: idOf(n),
    name: `Application ${n}`,
    walletId: walletOf(n),
    status: n % 50 === 49 ? "disabled" : "active",
    policy: { requestsPerMinute: 100_000, budget: { month: "100000" } },
    hint: hintOf(secretOf(n)),
    createdAtMs: startMs + n,
  };
}

for (let from = 0; from < wallets; from += AT_ONCE) {
  const some = Array.from({ length: Math.min(AT_ONCE, wallets - from) }, (_, at) => from + at);
  await Promise.all(some.map(fill));
}
await stores.close();
const kv = await Deno.openKv(path);
for (let from = 0; from < wallets; from += KEYS_AT_ONCE) {
  const atomic = kv.atomic();
  for (let n = from; n < Math.min(from + KEYS_AT_ONCE, wallets); n++) {
    const key = { record: recordOf(n), digest: peppers.digest(secretOf(n)) };
    const rows = [
      jsonRow(["key", keyPart(key.record.id)], key),
      ...linkRows(key),
      ...placeRows(key.record),
    ];
    for (const row of rows) if (row.value !== undefined) atomic.set(row.key, row.value);
  }
  await atomic.commit();
}
await kv.set(COUNTS_KEY, { wallets, keys: wallets });
kv.close();
console.log(`filled ${wallets}`);
