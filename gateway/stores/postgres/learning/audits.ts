import { type Micros, minMicros } from "../../../domain/ledger/money.ts";
import type { AuditCost, AuditStore } from "../../../ports/audit_store.ts";
import { query, type Sql } from "../connection.ts";
import { takeLock } from "../sql/locks.ts";
import { textId } from "../text_id.ts";

/** Costs of audits in PostgreSQL, one row for each audit; the rows of earlier days are deleted. */
export class PostgresAudits implements AuditStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async spentOn(day: string): Promise<Micros> {
    const [row] = await query(this.#sql<{ sum: bigint }[]>`
      select coalesce(sum(cost), 0)::bigint as sum from audit_cost where day = ${day}
    `);
    return row?.sum ?? 0n;
  }

  reserve(
    { id, day, amount, budget }: AuditCost & { readonly amount: Micros; readonly budget: Micros },
  ): Promise<Micros> {
    return query(this.#sql.begin(async (sql) => {
      await takeLock(sql, "audits");
      const [known] = await sql<{ cost: bigint }[]>`
        select cost from audit_cost where day = ${day} and id = ${textId(id)}
      `;
      if (known !== undefined) return known.cost;
      const [row] = await sql<{ sum: bigint }[]>`
        select coalesce(sum(cost), 0)::bigint as sum from audit_cost where day = ${day}
      `;
      const reserved = minMicros(amount, budget - (row?.sum ?? 0n));
      if (reserved <= 0n) return 0n;
      await sql`insert into audit_cost (day, id, cost) values (${day}, ${textId(id)}, ${reserved})`;
      await sql`delete from audit_cost where day < ${day}`;
      return reserved;
    }));
  }

  /** Yields all costs under the stored ids of their audits. */
  async *all(): AsyncGenerator<AuditCost & { readonly cost: Micros }> {
    yield* await query(this.#sql<{ day: string; id: string; cost: bigint }[]>`
      select day, id, cost from audit_cost order by day, id
    `);
  }

  async settle({ id, day, cost }: AuditCost & { readonly cost: Micros }): Promise<void> {
    await query(this.#sql`
      update audit_cost set cost = ${cost} where day = ${day} and id = ${textId(id)}
    `);
  }
}
