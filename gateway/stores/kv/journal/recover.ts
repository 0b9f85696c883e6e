/**
 * Ends the open holds of a former run. A call that was cut by the gateway's death is charged its
 * last durable checkpoint. A call without one is free, also when its caller was to receive the
 * whole response at once: nothing is known to be delivered. A request that was charged gets its row
 * in the log.
 *
 * @module
 */

import type { RequestRecord } from "../../../ports/request_log.ts";
import { StoreError } from "../../../ports/store_error.ts";
import type { KvLedgerStore } from "./ledger.ts";
import { RECOVERED_AT_ONCE } from "../limits.ts";
import { read } from "../read.ts";
import { upTo } from "../log/killed_row.ts";
import { killedRowOf } from "../log/log_line.ts";
import type { KvRequestLog } from "../log/request_log.ts";
import { KILLED_ROWS, killedRowKey } from "../rows.ts";

/** Stores and time of a recovery. */
export interface RecoveryOptions {
  readonly ledger: KvLedgerStore;
  readonly log: KvRequestLog;
  readonly atMs: number;
}

/**
 * Ends every open hold, a limited number at a time, and writes the missing log rows. If this is
 * interrupted too, the next start continues.
 */
export async function recover(kv: Deno.Kv, { ledger, log, atMs }: RecoveryOptions): Promise<void> {
  const orphans = await ledger.openHolds();
  for (let from = 0; from < orphans.length; from += RECOVERED_AT_ONCE) {
    const some = orphans.slice(from, from + RECOVERED_AT_ONCE);
    // Read beforehand, so that all holds end in one turn of the event loop, in few commits.
    const rows = new Map<string, RequestRecord>();
    await Promise.all(some.map(async ({ logId, progress }) => {
      if (progress === undefined) return;
      const { value } = await read(kv.get<Uint8Array>(killedRowKey(logId)));
      if (value !== null) rows.set(logId, killedRowOf(value));
    }));
    await Promise.all(some.map(({ id: holdId, logId, progress }) => {
      if (progress === undefined) {
        return ledger.voidHold({ kind: "expire", holdId, reason: "gateway restarted", atMs });
      }
      const before = rows.get(logId);
      const killedRow = before && upTo(progress, before);
      // Several calls of one request may have been in flight.
      if (killedRow !== undefined) rows.set(logId, killedRow);
      return ledger.settle(
        { ...progress, kind: "settle", holdId, estimated: true, recovered: true, atMs },
        { killedRow },
      );
    }));
  }
  await writeOwedRows(kv, log);
}

/** Writes the rows of requests that were charged, and whose own rows the former run did not write. */
async function writeOwedRows(kv: Deno.Kv, log: KvRequestLog): Promise<void> {
  let last: string | undefined;
  for (;;) {
    const owed: RequestRecord[] = [];
    const limit = { limit: RECOVERED_AT_ONCE };
    for await (const { value } of kv.list<Uint8Array>({ prefix: KILLED_ROWS }, limit)) {
      owed.push(killedRowOf(value));
    }
    const id = owed.at(-1)?.id;
    if (id === undefined) return;
    // Each row is removed as it is written; one that is not would be written again for ever.
    if (id === last) throw new StoreError(`Cannot clear the log row "${id}" that was owed`);
    await Promise.all(owed.map((row) => log.append(row)));
    last = id;
  }
}
