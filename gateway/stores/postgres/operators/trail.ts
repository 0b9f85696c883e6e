import {
  meets,
  type StoredTrailEntry,
  type TrailDraft,
  type TrailEntry,
  type TrailFilter,
  type TrailHead,
} from "../../../domain/operators/trail.ts";
import type { TrailPage, TrailStore } from "../../../ports/trail_store.ts";
import { endAfter, entryOf, linked, TRAIL_SEARCH_MAX } from "../../trail_chain.ts";
import { query, type Sql, type Transaction } from "../connection.ts";

/** Entries that a search reads in one statement. */
const BATCH = 500;

/** The audit log in PostgreSQL: all instances write one chain, under the lock of its end. */
export class PostgresTrail implements TrailStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  append(draft: TrailDraft): Promise<TrailEntry> {
    return query(this.#sql.begin((tx) => appendTo(tx, draft)));
  }

  async page(
    { limit, before, ...filter }: TrailFilter & {
      readonly limit: number;
      readonly before?: number | undefined;
    },
  ): Promise<TrailPage> {
    const entries: TrailEntry[] = [];
    let last = before ?? (await this.head()).place + 1;
    for (let seen = 0; seen < TRAIL_SEARCH_MAX && last > 1; seen += BATCH) {
      const rows = await query(this.#sql<{ line: string }[]>`
        select line from audit_trail where place < ${last} order by place desc limit ${BATCH}
      `);
      if (rows.length === 0) return { entries, before: undefined };
      for (const row of rows) {
        const entry = entryOf(row);
        last = entry.place;
        if (meets(entry, filter)) entries.push(entry);
        if (entries.length === limit) return { entries, before: last > 1 ? last : undefined };
      }
    }
    return { entries, before: last > 1 ? last : undefined };
  }

  async read(from: number, limit: number): Promise<readonly StoredTrailEntry[]> {
    return await query(this.#sql<StoredTrailEntry[]>`
      select line, hash from audit_trail where place >= ${from} order by place limit ${limit}
    `);
  }

  /** Appends entries as they are, in one commit. */
  async appendStored(entries: readonly StoredTrailEntry[]): Promise<void> {
    await query(this.#sql.begin(async (tx) => {
      const before = await lockedEnd(tx);
      const head = endAfter(before, entries);
      await tx`
        insert into audit_trail (place, line, hash)
        select ${before.place}::bigint + at, line, hash
        from unnest(${entries.map(({ line }) => line)}::text[],
          ${entries.map(({ hash }) => hash)}::text[]) with ordinality as e(line, hash, at)
      `;
      await tx`update audit_trail_head set place = ${head.place}, hash = ${head.hash}`;
    }));
  }

  async head(): Promise<TrailHead> {
    const [row] = await query(this.#sql<{ place: bigint; hash: string }[]>`
      select place, hash from audit_trail_head
    `);
    return { place: Number(row?.place ?? 0), hash: row?.hash ?? "" };
  }
}

/** Appends an entry in a transaction, which locks the end of the chain until it is over. */
export async function appendTo(tx: Transaction, draft: TrailDraft): Promise<TrailEntry> {
  const { entry, stored, head } = linked(await lockedEnd(tx), draft);
  await tx`
    insert into audit_trail (place, line, hash)
    values (${entry.place}, ${stored.line}, ${stored.hash})
  `;
  await tx`update audit_trail_head set place = ${head.place}, hash = ${head.hash}`;
  return entry;
}

/**
 * Appends the entry of a change in its transaction, if it has one. Call it last: the end of the chain
 * is locked until the transaction is over.
 */
export async function noteIn(tx: Transaction, draft: TrailDraft | undefined): Promise<void> {
  if (draft !== undefined) await appendTo(tx, draft);
}

async function lockedEnd(tx: Transaction): Promise<TrailHead> {
  const [end] = await tx<{ place: bigint; hash: string }[]>`
    select place, hash from audit_trail_head for update
  `;
  return { place: Number(end?.place ?? 0), hash: end?.hash ?? "" };
}
