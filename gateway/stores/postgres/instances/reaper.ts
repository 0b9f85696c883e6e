/**
 * Ends sessions of other instances that are silent, and everything that ended sessions left open.
 *
 * @module
 */

import { decodeRecord } from "../../kv/log/log_line.ts";
import type { Sql } from "../connection.ts";
import type { Batches } from "../ledger/batches.ts";
import { appendOwed, endOrphan } from "../ledger/orphans.ts";
import { decodeHold } from "../ledger/rows.ts";
import { CLEARED, ENDED_OF, HOLDS_OF, ROWS_OWED_BY } from "../sql/instances.ts";
import { type Sighting, Silence, type Silent } from "./silence.ts";

/** Share of the lease that counts at most between two beats. */
const GAP_SHARE = 1 / 3;
/** Holds, and log rows, that are read at once. */
const ENDED_AT_ONCE = 200;

/** Parts of a {@linkcode Reaper}. */
export interface ReaperParts {
  readonly batches: Pick<Batches, "submit">;
  /** A connection that beats do not use: they must not wait. */
  readonly sql: Sql;
  readonly leaseMs: number;
  readonly onError?: ((error: unknown) => void) | undefined;
}

/**
 * The reaper of one instance. Any number may work at once: a session ends once, and so does each
 * hold. All that it ends, it ends by batches, which are refused once its own session has ended.
 */
export class Reaper {
  readonly #parts: ReaperParts;
  readonly #silence: Silence;
  #working: Promise<void> | undefined;
  #isClosed = false;

  constructor(parts: ReaperParts) {
    this.#parts = parts;
    const { leaseMs } = parts;
    this.#silence = new Silence({ leaseMs, gapMs: leaseMs * GAP_SHARE });
  }

  /** Takes note of what a beat saw. Works beside the beats, which must not wait for it. */
  saw(sighting: Sighting, ended: readonly string[]): void {
    const silent = this.#silence.add(sighting);
    if (this.#isClosed || this.#working !== undefined) return;
    if (silent.length + ended.length === 0) return;
    this.#working = this.#work(silent, { ended, atMs: sighting.nowMs })
      .catch((error: unknown) => {
        if (!this.#isClosed) this.#parts.onError?.(error);
      })
      .finally(() => this.#working = undefined);
  }

  /** Notes a beat without an answer: the time since the one before is no silence of others. */
  missed(): void {
    this.#silence.missed();
  }

  /** Starts the count of every silence again: the own session was lost. */
  forget(): void {
    this.#silence.forget();
  }

  /** Resolves when nothing is in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#parts.sql.end({ timeout: 0 });
    await this.#working;
  }

  async #work(
    silent: readonly Silent[],
    { ended, atMs }: { readonly ended: readonly string[]; readonly atMs: number },
  ): Promise<void> {
    const { batches } = this.#parts;
    await Promise.all(
      silent.map(({ id, beats }) =>
        batches.submit({}, (view) => void view.ending.push({ id, beats: `${beats}` }))
      ),
    );
    // One that has beaten meanwhile has not ended.
    const over = silent.length === 0 ? [] : await this.#overOf(silent.map(({ id }) => id));
    const failures: unknown[] = [];
    for (const id of new Set([...ended, ...over])) {
      // One that cannot be cleared must not keep the others.
      await this.#clear(id, atMs).catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }

  /** Ends the holds of an ended session, then writes the log rows of their requests. */
  async #clear(session: string, atMs: number): Promise<void> {
    const { batches, sql } = this.#parts;
    for (;;) {
      const holds = await this.#read<{ data: string }>(HOLDS_OF, session);
      if (holds.length === 0) break;
      await Promise.all(holds.map(({ data }) => {
        const { id: holdId, logId } = decodeHold(data);
        const needs = { holds: [holdId], owed: [logId] };
        return batches.submit(needs, (view) => endOrphan(view, { holdId, atMs }));
      }));
    }
    for (;;) {
      const rows = await this.#read<{ line: string }>(ROWS_OWED_BY, session);
      if (rows.length === 0) break;
      await Promise.all(rows.map(({ line }) => {
        const { id } = decodeRecord(line);
        return batches.submit({ owed: [id] }, (view) => appendOwed(view, id));
      }));
    }
    await sql.unsafe(CLEARED, [session]);
  }

  async #overOf(sessions: readonly string[]): Promise<readonly string[]> {
    const rows = await this.#parts.sql.unsafe<{ id: string }[]>(ENDED_OF, [sessions]);
    return rows.map(({ id }) => id);
  }

  async #read<T extends object>(statement: string, session: string): Promise<readonly T[]> {
    return await this.#parts.sql.unsafe<T[]>(statement, [session, ENDED_AT_ONCE]);
  }
}
