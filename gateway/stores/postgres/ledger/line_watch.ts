/**
 * Tells this instance when one of its waiting holds is no longer in the line: another instance has
 * answered it. A notice of the database says so at once; notices can be lost, so it also looks.
 *
 * @module
 */

import { StoreError } from "../../../ports/store_error.ts";
import { query, type Sql } from "../connection.ts";
import { LINE_CHANNEL } from "../sql/ledger_batch.ts";

/** Time between two looks without a notice, in milliseconds. */
const LOOK_MS = 250;

/** Options of {@linkcode LineWatch}. */
export interface LineWatchOptions {
  /** Time between two looks without a notice, in milliseconds. @default {250} */
  readonly lookMs?: number | undefined;
  /** False to look only. @default {true} */
  readonly listens?: boolean | undefined;
}

/** Waiting holds of this instance, by id. The database is asked only while there are any. */
export class LineWatch {
  readonly #sql: Sql;
  readonly #options: LineWatchOptions;
  readonly #wakes = new Map<string, () => void>();
  #following: Promise<void> | undefined;
  #notices = 0;
  #isWoken = false;
  #wake = () => {};
  #isClosed = false;
  /** Ends the wait for the present answer. */
  #giveUp: (error: StoreError) => void = () => {};

  constructor(sql: Sql, options: LineWatchOptions = {}) {
    this.#sql = sql;
    this.#options = options;
  }

  /** Number of notices so far. */
  get notices(): number {
    return this.#notices;
  }

  /**
   * Calls `wake` when the hold is not in the line. `notices` is their number before it entered: a
   * notice may come before the answer that the hold is in the line. The returned function ends that.
   */
  watch(holdId: string, { notices, wake }: { notices: number; wake: () => void }): () => void {
    this.#wakes.set(holdId, wake);
    if (this.#notices !== notices) this.#lookNow();
    this.#following ??= this.#follow();
    return () => {
      this.#wakes.delete(holdId);
      if (this.#wakes.size === 0) this.#lookNow();
    };
  }

  /** Wakes a hold that this instance has answered. */
  answered(holdId: string): void {
    this.#wakes.get(holdId)?.();
  }

  /** Wakes all holds, and ends; does not wait for a database that is away. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of [...this.#wakes.values()]) wake();
    this.#wakes.clear();
    this.#lookNow();
    this.#giveUp(closedError());
    await this.#following;
  }

  async #follow(): Promise<void> {
    let unlisten: (() => Promise<void>) | undefined;
    try {
      while (this.#wakes.size > 0) {
        try {
          unlisten ??= await this.#answer(this.#listen());
          await this.#answer(this.#look());
        } catch (error) {
          // The database is away: the next look finds what was answered.
          if (!(error instanceof StoreError)) throw error;
        }
        await this.#sleep();
      }
    } finally {
      this.#following = undefined;
      // A lost connection listens no more.
      if (unlisten !== undefined) await this.#answer(unlisten()).catch(() => {});
    }
  }

  async #answer<T>(answer: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#giveUp = reject;
    if (this.#isClosed) reject(closedError());
    try {
      return await Promise.race([answer, promise]);
    } finally {
      this.#giveUp = () => {};
    }
  }

  async #listen(): Promise<(() => Promise<void>) | undefined> {
    if (this.#options.listens === false) return undefined;
    const noticed = () => {
      this.#notices++;
      this.#lookNow();
    };
    return (await query(this.#sql.listen(LINE_CHANNEL, noticed))).unlisten;
  }

  async #look(): Promise<void> {
    const ids = JSON.stringify([...this.#wakes.keys()]);
    const rows = await query(this.#sql<{ id: string }[]>`
      select id from jsonb_array_elements_text(${ids}::text::jsonb) as mine(id)
      where not exists (select from waiting_hold where waiting_hold.id = mine.id)
    `);
    for (const { id } of rows) this.#wakes.get(id)?.();
  }

  #lookNow(): void {
    this.#isWoken = true;
    this.#wake();
  }

  async #sleep(): Promise<void> {
    if (!this.#isWoken && this.#wakes.size > 0) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, this.#options.lookMs ?? LOOK_MS);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
    }
    this.#isWoken = false;
  }
}

function closedError(): StoreError {
  return new StoreError("The store is closed");
}
