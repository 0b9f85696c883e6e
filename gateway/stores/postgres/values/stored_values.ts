/**
 * Values of any size that are stored until they expire: files behind signed links, and responses.
 *
 * @module
 */

import { Mutex } from "../../kv/mutex.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { lockValues } from "../sql/locks.ts";
import { textId } from "../text_id.ts";

/** A stored value. */
export interface StoredValue {
  readonly content: Uint8Array;
  /** Unix time in milliseconds, from which the value is gone. */
  readonly expiresAtMs: number;
  /** Any JSON. */
  readonly about: unknown;
  /** Other names; values may share them. */
  readonly aliases: readonly string[];
}

/** Options of a kind of values. */
export interface StoredValuesOptions {
  /** Name of the kind. */
  readonly kind: string;
  /** Maximum size of all values of the kind, in bytes. */
  readonly maxBytes: number;
  /**
   * True when an owner may use as many bytes as are still free, alone at most half.
   *
   * @default {false}
   */
  readonly hasOwners?: boolean | undefined;
  readonly nowMs: () => number;
}

interface ValueRow {
  readonly id: string;
  readonly expires_at_ms: bigint;
  readonly about: string;
  readonly content: Uint8Array;
}

/** One kind of values in PostgreSQL. */
export class StoredValues {
  readonly #sql: Sql;
  readonly #options: StoredValuesOptions;
  /** At most one connection of the pool waits for the lock of the kind. */
  readonly #changing = new Mutex();

  constructor(sql: Sql, options: StoredValuesOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /**
   * Stores a value, which replaces one of the same name. Returns false, without any change, when it
   * does not fit.
   */
  put(owner: string, id: string, value: StoredValue): Promise<boolean> {
    const { kind } = this.#options;
    const { content, expiresAtMs, about } = value;
    const aliases = [...new Set(value.aliases.map(textId))];
    const aliasBytes = aliases.reduce((sum, alias) => sum + alias.length, 0);
    const bytes = content.length + aliasBytes;
    const [ownerId, valueId] = [textId(owner), textId(id)];
    return this.#change(async (sql) => {
      if (!await this.#hasRoom(sql, ownerId, bytes)) {
        await this.#deleteExpired(sql);
        if (!await this.#hasRoom(sql, ownerId, bytes)) return false;
      }
      await this.#delete(sql, { owner: ownerId, id: valueId });
      await sql`
        insert into stored_value (kind, owner, id, expires_at_ms, bytes, about, content)
        values (${kind}, ${ownerId}, ${valueId}, ${expiresAtMs}, ${bytes},
          ${JSON.stringify(about)}, ${content})
      `;
      if (aliases.length > 0) {
        await sql`
          insert into stored_value_alias (kind, owner, alias, id)
          select ${kind}, ${ownerId}, unnest(${aliases}::text[]), ${valueId}
        `;
      }
      await addBytes(sql, { kind, owner: ownerId, bytes });
      return true;
    });
  }

  /** Returns a stored value that has not expired. `admit` receives its size before it is read. */
  async get(
    owner: string,
    id: string,
    admit?: (bytes: number) => Promise<void> | undefined,
  ): Promise<StoredValue | undefined> {
    const { kind, nowMs } = this.#options;
    const name = this.#sql`kind = ${kind} and owner = ${textId(owner)} and id = ${textId(id)}
      and expires_at_ms > ${nowMs()}`;
    if (admit !== undefined) {
      const [size] = await query(this.#sql<{ bytes: bigint }[]>`
        select bytes from stored_value where ${name}
      `);
      if (size === undefined) return undefined;
      await admit(Number(size.bytes));
    }
    const [row] = await query(this.#sql<ValueRow[]>`
      select id, expires_at_ms, about, content from stored_value where ${name}
    `);
    return row && valueOf(row);
  }

  /** Returns the value that has an alias and was stored last. */
  async withAlias(owner: string, alias: string): Promise<StoredValue | undefined> {
    const { kind, nowMs } = this.#options;
    const [row] = await query(this.#sql<ValueRow[]>`
      select v.id, v.expires_at_ms, v.about, v.content
      from stored_value_alias a join stored_value v using (kind, owner, id)
      where kind = ${kind} and owner = ${textId(owner)} and a.alias = ${textId(alias)}
        and v.expires_at_ms > ${nowMs()}
      order by v.number desc limit 1
    `);
    return row && valueOf(row);
  }

  /** Yields all values that have not expired, with their stored ids, in the order of their storing. */
  async *all(): AsyncGenerator<StoredValue & { readonly id: string }> {
    const { kind, nowMs } = this.#options;
    const names = await query(this.#sql<{ owner: string; id: string }[]>`
      select owner, id from stored_value where kind = ${kind} and expires_at_ms > ${nowMs()}
      order by number
    `);
    for (const { owner, id } of names) {
      const [row] = await query(this.#sql<ValueRow[]>`
        select id, expires_at_ms, about, content from stored_value
        where kind = ${kind} and owner = ${owner} and id = ${id}
      `);
      if (row !== undefined) yield { ...valueOf(row), id };
    }
  }

  /** Deletes a value; returns false if there is none that has not expired. */
  delete(owner: string, id: string): Promise<boolean> {
    const { nowMs } = this.#options;
    const name = { owner: textId(owner), id: textId(id) };
    return this.#change((sql) => this.#delete(sql, { ...name, atMs: nowMs() }));
  }

  /** Deletes expired values; resolves to their number. */
  sweep(): Promise<number> {
    return this.#change((sql) => this.#deleteExpired(sql));
  }

  /** Runs a change of the kind after all others, of this instance and of the others. */
  #change<T>(change: (sql: Transaction) => Promise<T>): Promise<T> {
    return this.#changing.run(() =>
      query(this.#sql.begin(async (sql) => {
        await lockValues(sql, this.#options.kind);
        return await change(sql);
      }))
    );
  }

  async #hasRoom(sql: Transaction, owner: string, bytes: number): Promise<boolean> {
    const { kind, maxBytes, hasOwners = false } = this.#options;
    const [row] = await sql<{ all: bigint; own: bigint }[]>`
      select coalesce(sum(bytes), 0)::bigint as all,
        coalesce(sum(bytes) filter (where owner = ${owner}), 0)::bigint as own
      from stored_bytes where kind = ${kind}
    `;
    const free = maxBytes - Number(row?.all ?? 0) - bytes;
    return free >= (hasOwners ? Number(row?.own ?? 0) + bytes : 0);
  }

  /** Deletes a value that has not expired at a time. @default atMs {any value} */
  async #delete(
    sql: Transaction,
    { owner, id, atMs = 0 }: { owner: string; id: string; atMs?: number },
  ): Promise<boolean> {
    const { kind } = this.#options;
    const [row] = await sql<{ bytes: bigint }[]>`
      delete from stored_value
      where kind = ${kind} and owner = ${owner} and id = ${id} and expires_at_ms > ${atMs}
      returning bytes
    `;
    if (row === undefined) return false;
    await addBytes(sql, { kind, owner, bytes: -Number(row.bytes) });
    return true;
  }

  async #deleteExpired(sql: Transaction): Promise<number> {
    const { kind, nowMs } = this.#options;
    const rows = await sql<{ owner: string; bytes: bigint }[]>`
      delete from stored_value where kind = ${kind} and expires_at_ms <= ${nowMs()}
      returning owner, bytes
    `;
    const byOwner = Map.groupBy(rows, ({ owner }) => owner);
    for (const [owner, own] of byOwner) {
      const bytes = own.reduce((sum, row) => sum + Number(row.bytes), 0);
      await addBytes(sql, { kind, owner, bytes: -bytes });
    }
    return rows.length;
  }
}

async function addBytes(
  sql: Transaction,
  { kind, owner, bytes }: { kind: string; owner: string; bytes: number },
): Promise<void> {
  await sql`
    insert into stored_bytes (kind, owner, bytes) values (${kind}, ${owner}, ${bytes})
    on conflict (kind, owner) do update set bytes = stored_bytes.bytes + excluded.bytes
  `;
}

function valueOf({ expires_at_ms, about, content }: ValueRow): StoredValue {
  const value = { content, expiresAtMs: Number(expires_at_ms), about: JSON.parse(about) };
  return { ...value, aliases: [] };
}
