import type { EmbeddingPin } from "../../../domain/policy/embedding_pin.ts";
import type { EmbeddingPinStore, PinChange } from "../../../ports/embedding_pin_store.ts";
import { pinOf, pinText } from "../../embedding_pin_text.ts";
import { query, type Sql } from "../connection.ts";
import { textId } from "../text_id.ts";

/** Pins that are read in one statement. */
const PAGE = 500;

/** Pins in PostgreSQL. Each change is one statement that compares the stored text. */
export class PostgresEmbeddingPins implements EmbeddingPinStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async get(lineId: string): Promise<EmbeddingPin | undefined> {
    const [row] = await query(this.#sql<{ data: string }[]>`
      select data from embedding_pin where id = ${textId(lineId)}
    `);
    return row === undefined ? undefined : pinOf(row.data);
  }

  async replace(lineId: string, { from, to }: PinChange): Promise<boolean> {
    const sql = this.#sql;
    const id = textId(lineId);
    if (from === undefined) {
      if (to === undefined) return await this.get(lineId) === undefined;
      const added = await query(sql`
        insert into embedding_pin (id, data) values (${id}, ${pinText(to)}) on conflict do nothing
      `);
      return added.count === 1;
    }
    const before = pinText(from);
    const changed = to === undefined
      ? await query(sql`delete from embedding_pin where id = ${id} and data = ${before}`)
      : await query(sql`
        update embedding_pin set data = ${pinText(to)} where id = ${id} and data = ${before}
      `);
    return changed.count === 1;
  }

  async *all(): AsyncGenerator<EmbeddingPin> {
    for (let after = "";;) {
      const rows = await query(this.#sql<{ id: string; data: string }[]>`
        select id, data from embedding_pin where id collate "C" > ${after}
        order by id collate "C" limit ${PAGE}
      `);
      for (const { data } of rows) yield pinOf(data);
      if (rows.length < PAGE) return;
      after = rows.at(-1)?.id ?? "";
    }
  }
}
