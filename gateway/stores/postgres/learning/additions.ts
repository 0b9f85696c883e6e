import type { AdditionStore, StoredAdditions } from "../../../ports/addition_store.ts";
import { query, type Sql } from "../connection.ts";

/** Time for which the lease lasts, unless it is kept. */
const LEASE = "6 seconds";
/** Name of the lease. */
const NAME = "routing_snapshots";

/** Statistics of all instances in PostgreSQL, one row for each time that an instance stores some. */
export class PostgresAdditions implements AdditionStore {
  readonly #sql: Sql;
  readonly #member: { readonly id: string };

  /** `member`: this instance, which gets another id after it was given up. */
  constructor(sql: Sql, member: { readonly id: string }) {
    this.#sql = sql;
    this.#member = member;
  }

  async add({ id, wallets }: StoredAdditions): Promise<void> {
    await query(this.#sql`
      insert into routing_addition (id, data) values (${id}, ${JSON.stringify([...wallets])})
      on conflict do nothing
    `);
  }

  async waiting(limit: number): Promise<readonly StoredAdditions[]> {
    const rows = await query(this.#sql<{ id: string; data: string }[]>`
      select id, data from routing_addition where included is null order by number limit ${limit}
    `);
    return rows.map(({ id, data }) => ({ id, wallets: new Map(JSON.parse(data)) }));
  }

  async lead(): Promise<boolean> {
    const rows = await query(this.#sql`
      insert into lease (name, instance, until)
      values (${NAME}, ${this.#member.id}, clock_timestamp() + ${LEASE}::interval)
      on conflict (name) do update set instance = excluded.instance, until = excluded.until
      where lease.instance = excluded.instance or lease.until < clock_timestamp() or exists (
        select from instance i where i.id = lease.instance and i.ended_at is not null
      )
      returning name
    `);
    return rows.length > 0;
  }
}
