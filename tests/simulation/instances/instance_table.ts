/**
 * The table of the sessions of instances in a modelled PostgreSQL, and the statements that use it
 * outside a transaction, computed by other code than the database's.
 *
 * @module
 */

import {
  BEAT,
  CLEARED,
  ENDED_OF,
  HOLDS_OF,
  JOIN,
  ROWS_OWED_BY,
  SWEEP,
} from "../../../gateway/stores/postgres/sql/instances.ts";

const DAY_MS = 86_400_000;

/** Times of the database. */
export interface DatabaseTime {
  /** Its clock, which may be set. */
  readonly nowMs: number;
  /** Time that has passed in truth. */
  readonly trueMs: number;
}

/** Tables with rows of instances. */
interface OwnedRows {
  /** Returns the open holds of a session, oldest first. */
  holdsOf(session: string): readonly { readonly data: string }[];
  readonly owed: ReadonlyMap<string, { readonly instance: string; readonly line: string }>;
}

interface InstanceRow {
  readonly number: number;
  readonly beats: bigint;
  /** Time of the last beat, or of the beginning, in truth. */
  readonly beatMs: number;
  readonly endedAtMs?: number | undefined;
  readonly isCleared: boolean;
}

const STATEMENTS = new Set([BEAT, CLEARED, ENDED_OF, HOLDS_OF, JOIN, ROWS_OWED_BY, SWEEP]);

/** Rows of `instance`. */
export class InstanceTable {
  readonly #rows = new Map<string, InstanceRow>();
  #numbers = 0;

  /** True for a statement of this table. */
  static knows(text: string): boolean {
    return STATEMENTS.has(text);
  }

  /** True for a session that was ended; absent for one that there is not. */
  isEnded(id: string): boolean | undefined {
    const row = this.#rows.get(id);
    return row && row.endedAtMs !== undefined;
  }

  /** True for a session that lives, and has not beaten since `beats` (null: in any case). */
  canEnd(id: string, beats: string | null): boolean {
    const row = this.#rows.get(id);
    return row?.endedAtMs === undefined && row !== undefined &&
      (beats === null || row.beats === BigInt(beats));
  }

  /** Ends a session. Returns the time since its last beat, in milliseconds. */
  end(id: string, { nowMs, trueMs }: DatabaseTime): number {
    const row = this.#rows.get(id);
    if (row === undefined) return 0;
    this.#rows.set(id, { ...row, endedAtMs: nowMs });
    return trueMs - row.beatMs;
  }

  /** Answers a statement. */
  execute(
    text: string,
    [first, second]: readonly unknown[],
    { time, tables }: { readonly time: DatabaseTime; readonly tables: OwnedRows },
  ): readonly object[] {
    const id = String(first);
    const limit = Number(second);
    switch (text) {
      case JOIN:
        return this.#join(id, time);
      case BEAT:
        return this.#beat(id, time);
      case ENDED_OF:
        return (first as readonly string[]).filter((one) =>
          this.isEnded(one) === true && this.#rows.get(one)?.isCleared === false
        ).map((one) => ({ id: one }));
      case HOLDS_OF:
        return tables.holdsOf(id).slice(0, limit).map(({ data }) => ({ data }));
      case ROWS_OWED_BY:
        return [...tables.owed.values()].filter(({ instance }) => instance === id).slice(0, limit)
          .map(({ line }) => ({ line }));
      case CLEARED:
        return this.#change(id, { isCleared: true });
      default:
        return this.#sweep(time);
    }
  }

  #join(id: string, { trueMs }: DatabaseTime): readonly object[] {
    const number = ++this.#numbers;
    this.#rows.set(id, { number, beats: 0n, beatMs: trueMs, isCleared: false });
    return [{ number: BigInt(number) }];
  }

  #beat(id: string, { nowMs, trueMs }: DatabaseTime): readonly object[] {
    const own = this.#rows.get(id);
    const lives = own !== undefined && own.endedAtMs === undefined;
    if (lives) this.#change(id, { beats: own.beats + 1n, beatMs: trueMs });
    const common = { now_ms: BigInt(nowMs), lives };
    const others = [...this.#rows].filter(([other, row]) => other !== id && !row.isCleared)
      .map(([other, { beats, endedAtMs }]) => ({
        ...common,
        ...{ id: other, beats, ended: endedAtMs !== undefined },
      }));
    return others.length > 0 ? others : [{ ...common, id: null, beats: null, ended: false }];
  }

  #change(id: string, change: Partial<InstanceRow>): readonly object[] {
    const row = this.#rows.get(id);
    if (row !== undefined) this.#rows.set(id, { ...row, ...change });
    return [];
  }

  #sweep({ nowMs }: DatabaseTime): readonly object[] {
    for (const [id, { isCleared, endedAtMs = Infinity }] of this.#rows) {
      if (isCleared && endedAtMs < nowMs - DAY_MS) this.#rows.delete(id);
    }
    return [];
  }
}
