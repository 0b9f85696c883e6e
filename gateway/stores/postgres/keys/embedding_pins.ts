import type { EmbeddingPin } from "../../../domain/policy/embedding_pin.ts";
import type { EmbeddingPinStore, PinChange } from "../../../ports/embedding_pin_store.ts";
import { pinOf, pinText } from "../../embedding_pin_text.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { noteIn } from "../operators/trail.ts";
import { textId } from "../text_id.ts";

/** Pins that are read in one statement. */
const PAGE = 500;

/** Pins in PostgreSQL. Each change compares the stored text. */
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

  async replace(lineId: string, change: PinChange): Promise<boolean> {
    const { from, to, entry } = change;
    if (from === undefined && to === undefined) return await this.get(lineId) === undefined;
    // Calls pin without an entry, in one statement.
    if (entry === undefined) return await query(write(this.#sql, lineId, change));
    return await query(this.#sql.begin(async (tx) => {
      if (!await write(tx, lineId, change)) return false;
      await noteIn(tx, entry({ before: from, after: to }));
      return true;
    }));
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

/** Writes a pin in one statement; resolves to false where another one is stored. */
async function write(
  sql: Sql | Transaction,
  lineId: string,
  { from, to }: PinChange,
): Promise<boolean> {
  const id = textId(lineId);
  const before = from === undefined ? "" : pinText(from);
  const { count } =
    await (to === undefined
      ? sql`delete from embedding_pin where id = ${id} and data = ${before}`
      : from === undefined
      ? sql`insert into embedding_pin (id, data) values (${id}, ${
        pinText(to)
      }) on conflict do nothing`
      : sql`update embedding_pin set data = ${pinText(to)} where id = ${id} and data = ${before}`);
  return count === 1;
}
