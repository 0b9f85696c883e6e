/**
 * A process of the gateway, as far as the ledger goes: the real session of an instance, with its
 * beats and its reaper, batches and the ledger, on connections to the modelled database.
 *
 * @module
 */

import { Instance } from "../../../gateway/stores/postgres/instances/instance.ts";
import { Batches } from "../../../gateway/stores/postgres/ledger/batches.ts";
import { PostgresLedger } from "../../../gateway/stores/postgres/ledger/ledger.ts";
import { PostgresCorrections } from "../../../gateway/stores/postgres/operators/corrections.ts";
import type { Call } from "./call.ts";
import type { ModelledClient } from "./sql.ts";

/** Waiting holds that a batch reads of each key in a line: fewer than wait at times. */
const WAITING_READ = 2;

/** A process that has started. */
export class Process {
  readonly client: ModelledClient;
  readonly instance: Instance;
  readonly ledger: PostgresLedger;
  readonly corrections: PostgresCorrections;
  readonly calls: Call[] = [];
  /** Number of sessions that it has lost. */
  lost = 0;

  private constructor(client: ModelledClient, instance: Instance) {
    this.client = client;
    this.instance = instance;
    const { sql } = client.pool();
    const batches = new Batches(sql, instance, { waitingRead: WAITING_READ });
    this.ledger = new PostgresLedger(sql, batches, { line: { listens: false } });
    this.corrections = new PostgresCorrections(sql, { batches, keys: { forget: () => {} } });
    instance.onLost(() => this.lost++);
    instance.reapThrough(batches);
  }

  /** Starts a process: it begins a session. */
  static async start(client: ModelledClient, nowMs: () => number): Promise<Process> {
    const open = ({ limitMs }: { readonly limitMs?: number | undefined }) =>
      client.pool(limitMs).sql;
    return new Process(client, await Instance.join("", { open, nowMs }));
  }
}
