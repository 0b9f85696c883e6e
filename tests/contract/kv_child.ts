/**
 * A gateway's ledger in a process of its own, to be killed. It prints `<kind> <id>` once an
 * operation is acknowledged, and the reason where it cannot start.
 *
 * @module
 */

import { StoreError } from "../../gateway/ports/store_error.ts";
import { type KvStores, openKvStores } from "../../gateway/stores/kv/open.ts";
import { credit, hold, settle } from "./ledger_store_contract.ts";
import { record } from "./request_log_contract.ts";

const [path = "", run = ""] = Deno.args;
const encoder = new TextEncoder();

function acknowledge(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

async function work({ ledger, log }: KvStores, worker: number): Promise<void> {
  for (let n = 0;; n++) {
    const id = `${run}-${worker}-${n}`;
    await ledger.hold(hold(id, 10n), { waitMs: 1_000 });
    acknowledge(`hold ${id}`);
    const row = record(0, { id: `log_${id}`, atMs: Date.now() });
    await Promise.all([ledger.settle(settle(id, 3n)), log.append(row)]);
    acknowledge(`settle ${id}`);
  }
}

try {
  const stores = await openKvStores(path);
  await stores.ledger.open({ kind: "open", walletId: "w", tier: "standard", atMs: 1 });
  await stores.ledger.credit(credit(`credit-${run}`, 1_000_000_000n));
  await Promise.all(Array.from({ length: 16 }, (_, worker) => work(stores, worker)));
} catch (error) {
  if (!(error instanceof StoreError)) throw error;
  acknowledge(`refused ${error.message}`);
}
