import type { Noted } from "../../../domain/operators/trail.ts";
import type { Pass, PassName, PassStore } from "../../../ports/pass_store.ts";
import { query, type Sql } from "../connection.ts";
import { noteIn } from "../operators/trail.ts";
import { lockPasses } from "../sql/locks.ts";
import { textId } from "../text_id.ts";

/** The times of a row. */
interface PassRow {
  readonly began_at_ms: bigint;
  readonly ends_at_ms: bigint;
}

/** Passes in PostgreSQL, which all instances share. */
export class PostgresPasses implements PassStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async put(pass: Pass, { max, entry }: { readonly max: number } & Noted<Pass>): Promise<void> {
    const { beganAtMs, endsAtMs } = pass;
    const { keyId, kind, digest } = stored(pass);
    await query(this.#sql.begin(async (sql) => {
      await lockPasses(sql, keyId);
      await sql`
        delete from key_pass where key_id = ${keyId} and kind = ${kind} and digest in (
          select digest from key_pass
          where key_id = ${keyId} and kind = ${kind} and digest <> ${digest}
          order by began_at_ms desc, digest offset ${max - 1}
        )
      `;
      await sql`
        insert into key_pass (key_id, kind, digest, began_at_ms, ends_at_ms)
        values (${keyId}, ${kind}, ${digest}, ${beganAtMs}, ${endsAtMs})
        on conflict (key_id, kind, digest)
        do update set began_at_ms = excluded.began_at_ms, ends_at_ms = excluded.ends_at_ms
      `;
      await noteIn(sql, entry?.({ after: pass }));
    }));
  }

  async get(name: PassName): Promise<Pass | undefined> {
    const { keyId, kind, digest } = stored(name);
    const [row] = await query(this.#sql<PassRow[]>`
      select began_at_ms, ends_at_ms from key_pass
      where key_id = ${keyId} and kind = ${kind} and digest = ${digest}
    `);
    return passOf(name, row);
  }

  async take(name: PassName): Promise<Pass | undefined> {
    const { keyId, kind, digest } = stored(name);
    const [row] = await query(this.#sql<PassRow[]>`
      delete from key_pass
      where key_id = ${keyId} and kind = ${kind} and digest = ${digest}
      returning began_at_ms, ends_at_ms
    `);
    return passOf(name, row);
  }

  async removeAll(keyId: string): Promise<void> {
    await query(this.#sql`delete from key_pass where key_id = ${textId(keyId)}`);
  }

  async sweep(nowMs: number): Promise<number> {
    const { count } = await query(this.#sql`delete from key_pass where ends_at_ms <= ${nowMs}`);
    return count;
  }
}

function stored({ keyId, kind, digest }: PassName): PassName {
  return { keyId: textId(keyId), kind, digest: textId(digest) };
}

function passOf({ keyId, kind, digest }: PassName, row: PassRow | undefined): Pass | undefined {
  return row && {
    ...{ keyId, kind, digest },
    ...{ beganAtMs: Number(row.began_at_ms), endsAtMs: Number(row.ends_at_ms) },
  };
}
