/**
 * An instance on PostgreSQL in a process of its own, to be killed or paused, with the lease of the
 * service. It prints `<kind> <id>` once an operation is acknowledged, and its session's number.
 *
 * @module
 */

import { startInstance } from "../fixtures/postgres_instances.ts";
import { hold, outcome, progress, settle } from "./ledger_store_contract.ts";
import { record } from "./request_log_contract.ts";

const CALLERS = 8;

const [url = "", run = ""] = Deno.args;
const encoder = new TextEncoder();
const { instance, ledger } = await startInstance(url, { leaseMs: undefined, pulse: undefined });

function acknowledge(line: string): void {
  Deno.stdout.writeSync(encoder.encode(`${line}\n`));
}

/** Calls. Half of the callers' are streams with a checkpoint, which stay open for different times. */
async function call(caller: number): Promise<void> {
  for (let n = 0;; n++) {
    const id = `${run}-${caller}-${n}`;
    const row = record(0, { id: `log_${id}`, holdIds: [id], charged: "0" });
    await ledger.hold(hold(id, 10n, { logId: row.id }), { waitMs: 1_000 });
    acknowledge(`hold ${id}`);
    if (caller % 2 === 0) {
      await ledger.progress(progress(id, 2n), () => ({ ...row, outcome: "killed" }));
      await new Promise((resolve) => setTimeout(resolve, 300 * (caller + 1)));
    }
    const settled = await ledger.settle(settle(id, 3n), { row: { ...row, charged: "0.000003" } });
    acknowledge(settled.ok ? `settle ${id}` : `${outcome(settled)} ${id}`);
  }
}

acknowledge(`number ${instance.number}`);
instance.onLost(({ number }) => acknowledge(`lost ${number}`));
await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)));
