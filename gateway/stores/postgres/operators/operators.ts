import type { Operator } from "../../../domain/operators/operator.ts";
import type { TrailDraft } from "../../../domain/operators/trail.ts";
import type { OperatorStore } from "../../../ports/operator_store.ts";
import { query, type Sql } from "../connection.ts";
import { textId } from "../text_id.ts";
import { appendTo } from "./trail.ts";

/** Operators in PostgreSQL, one row each, stored in one transaction with their entries. */
export class PostgresOperators implements OperatorStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async all(): Promise<readonly Operator[]> {
    const rows = await query(this.#sql<{ data: string }[]>`
      select data from operator order by id collate "C"
    `);
    return rows.map(({ data }) => JSON.parse(data));
  }

  put(operator: Operator, entry: TrailDraft): Promise<boolean> {
    const { version } = operator;
    const [id, data] = [textId(operator.id), JSON.stringify(operator)];
    return query(this.#sql.begin(async (tx) => {
      const stored = version === 1
        ? await tx`
          insert into operator (id, version, data) values (${id}, 1, ${data})
          on conflict do nothing
        `
        : await tx`
          update operator set version = ${version}, data = ${data}
          where id = ${id} and version = ${version - 1}
        `;
      if (stored.count === 0) return false;
      await appendTo(tx, entry);
      return true;
    }));
  }

  /** Stores an operator without an entry. */
  async write(operator: Operator): Promise<void> {
    const [id, data] = [textId(operator.id), JSON.stringify(operator)];
    await query(this.#sql`
      insert into operator (id, version, data) values (${id}, ${operator.version}, ${data})
      on conflict (id) do update set version = excluded.version, data = excluded.data
    `);
  }
}
