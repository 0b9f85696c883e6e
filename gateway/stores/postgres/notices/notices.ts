import type { Delivery } from "../../../domain/notices/delivery.ts";
import {
  conditionKey,
  type Incident,
  type Sight,
  withSight,
} from "../../../domain/notices/incident.ts";
import { type NoticeTarget, TARGETS_MAX } from "../../../domain/notices/target.ts";
import type { Noted } from "../../../domain/operators/trail.ts";
import type {
  DeliveryQuery,
  NoticePage,
  NoticePageQuery,
  NoticeStore,
} from "../../../ports/notice_store.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { noteIn } from "../operators/trail.ts";
import { takeLock } from "../sql/locks.ts";
import { textId } from "../text_id.ts";

/** Name of the lease of the sender. */
const LEASE_NAME = "notifications";
/** Time for which the lease lasts unless it is kept: longer than `LEASE_SAFE_MS`. */
const LEASE = "30 seconds";

/** A row with its value as JSON. */
interface DataRow {
  readonly data: string;
}

/** Notifications in PostgreSQL, shared by all instances. */
export class PostgresNotices implements NoticeStore {
  readonly #sql: Sql;
  readonly #member: { readonly id: string };

  /** `member`: this instance, which gets another id after it was given up. */
  constructor(sql: Sql, member: { readonly id: string }) {
    this.#sql = sql;
    this.#member = member;
  }

  async targets(): Promise<readonly NoticeTarget[]> {
    return valuesOf(
      await query(this.#sql<DataRow[]>`select data from notice_target order by id collate "C"`),
    );
  }

  putTarget(target: NoticeTarget, { entry }: Noted<NoticeTarget> = {}): Promise<boolean> {
    return query(this.#sql.begin(async (sql) => {
      await takeLock(sql, "noticeTargets");
      const id = textId(target.id);
      const [row] = await sql<{ others: bigint }[]>`
        select count(*) as others from notice_target where id <> ${id}
      `;
      if ((row?.others ?? 0n) >= BigInt(TARGETS_MAX)) return false;
      const [before] = valuesOf<NoticeTarget>(
        await sql<DataRow[]>`select data from notice_target where id = ${id}`,
      );
      await sql`
        insert into notice_target (id, data) values (${id}, ${JSON.stringify(target)})
        on conflict (id) do update set data = excluded.data
      `;
      await noteIn(sql, entry?.({ before, after: target }));
      return true;
    }));
  }

  removeTarget(id: string, { entry }: Noted<NoticeTarget> = {}): Promise<boolean> {
    return query(this.#sql.begin(async (sql) => {
      await takeLock(sql, "noticeTargets");
      const [before] = valuesOf<NoticeTarget>(
        await sql<DataRow[]>`delete from notice_target where id = ${textId(id)} returning data`,
      );
      if (before === undefined) return false;
      await sql`delete from notice_delivery where target = ${textId(id)}`;
      await noteIn(sql, entry?.({ before }));
      return true;
    }));
  }

  begin(incident: Incident, deliveries: readonly Delivery[]): Promise<boolean> {
    return query(this.#sql.begin(async (sql) => {
      const rows = await sql`
        insert into notice_incident (id, name, data)
        values (${textId(incident.id)}, ${textId(conditionKey(incident))},
          ${JSON.stringify(incident)})
        on conflict do nothing returning id
      `;
      if (rows.length === 0) return false;
      await insertDeliveries(sql, deliveries);
      return true;
    }));
  }

  end(incident: Incident, deliveries: readonly Delivery[]): Promise<boolean> {
    return query(this.#sql.begin(async (sql) => {
      const rows = await sql`
        update notice_incident
        set ended_at_ms = ${incident.endedAtMs ?? 0}, data = ${JSON.stringify(incident)}
        where id = ${textId(incident.id)} and ended_at_ms is null returning id
      `;
      if (rows.length === 0) return false;
      await insertDeliveries(sql, deliveries);
      return true;
    }));
  }

  async see(id: string, sight: Sight): Promise<void> {
    await query(this.#sql.begin(async (sql) => {
      const rows = await sql<DataRow[]>`
        select data from notice_incident
        where id = ${textId(id)} and ended_at_ms is null for update
      `;
      for (const incident of valuesOf<Incident>(rows)) {
        const data = JSON.stringify(withSight(incident, sight));
        await sql`update notice_incident set data = ${data} where id = ${textId(id)}`;
      }
    }));
  }

  async open(): Promise<readonly Incident[]> {
    return valuesOf(
      await query(this.#sql<DataRow[]>`
        select data from notice_incident where ended_at_ms is null order by id collate "C"
      `),
    );
  }

  async due(
    { target, nowMs, limit }: { target: string; nowMs: number; limit: number },
  ): Promise<readonly Delivery[]> {
    return valuesOf(
      await query(this.#sql<DataRow[]>`
        select data from notice_delivery
        where target = ${textId(target)} and state = 'pending' and next_at_ms <= ${nowMs}
        order by next_at_ms, id collate "C" limit ${limit}
      `),
    );
  }

  async delivery(id: string): Promise<Delivery | undefined> {
    const rows = await query(this.#sql<DataRow[]>`
      select data from notice_delivery where id = ${textId(id)}
    `);
    return valuesOf<Delivery>(rows)[0];
  }

  async record(delivery: Delivery): Promise<void> {
    const { id, state, nextAtMs } = delivery;
    await query(this.#sql`
      update notice_delivery
      set state = ${state}, next_at_ms = ${nextAtMs}, data = ${JSON.stringify(delivery)}
      where id = ${textId(id)}
    `);
  }

  revive(delivery: Delivery, { entry }: Noted<Delivery> = {}): Promise<boolean> {
    const { id, state, nextAtMs } = delivery;
    return query(this.#sql.begin(async (sql) => {
      const [before] = valuesOf<Delivery>(
        await sql<DataRow[]>`
          select data from notice_delivery where id = ${textId(id)} and state = 'dead' for update
        `,
      );
      if (before === undefined) return false;
      await sql`
        update notice_delivery
        set state = ${state}, next_at_ms = ${nextAtMs}, data = ${JSON.stringify(delivery)}
        where id = ${textId(id)}
      `;
      await noteIn(sql, entry?.({ before, after: delivery }));
      return true;
    }));
  }

  async incidents({ limit, cursor }: NoticePageQuery): Promise<NoticePage<Incident>> {
    const before = cursor === undefined ? null : textId(cursor);
    const rows = await query(this.#sql<DataRow[]>`
      select data from notice_incident
      where ${before}::text is null or id collate "C" < ${before}
      order by id collate "C" desc limit ${limit + 1}
    `);
    return pageOf(valuesOf<Incident>(rows), limit);
  }

  async deliveries({ limit, cursor, state }: DeliveryQuery): Promise<NoticePage<Delivery>> {
    const before = cursor === undefined ? null : textId(cursor);
    const rows = await query(this.#sql<DataRow[]>`
      select data from notice_delivery
      where (${before}::text is null or id collate "C" < ${before})
        and (${state ?? null}::text is null or state = ${state ?? null})
      order by id collate "C" desc limit ${limit + 1}
    `);
    return pageOf(valuesOf<Delivery>(rows), limit);
  }

  async sweep(beforeMs: number): Promise<number> {
    const rows = await query(this.#sql`
      with old as (
        delete from notice_incident i where i.ended_at_ms < ${beforeMs} and not exists (
          select from notice_delivery d where d.incident = i.id and d.state = 'pending'
        ) returning id
      ), gone as (delete from notice_delivery where incident in (select id from old))
      select id from old
    `);
    return rows.length;
  }

  async lead(): Promise<boolean> {
    const rows = await query(this.#sql`
      insert into lease (name, instance, until)
      values (${LEASE_NAME}, ${this.#member.id}, clock_timestamp() + ${LEASE}::interval)
      on conflict (name) do update set instance = excluded.instance, until = excluded.until
      where lease.instance = excluded.instance or lease.until < clock_timestamp()
      returning name
    `);
    return rows.length > 0;
  }
}

async function insertDeliveries(sql: Transaction, deliveries: readonly Delivery[]): Promise<void> {
  for (const delivery of deliveries) {
    const { id, target, message, state, nextAtMs } = delivery;
    await sql`
      insert into notice_delivery (id, target, incident, state, next_at_ms, data)
      select ${textId(id)}, ${textId(target)}, ${textId(message.incident)}, ${state}, ${nextAtMs},
        ${JSON.stringify(delivery)}
      where exists (select from notice_target where id = ${textId(target)} for key share)
    `;
  }
}

function valuesOf<Value>(rows: readonly DataRow[]): Value[] {
  return rows.map(({ data }) => JSON.parse(data) as Value);
}

function pageOf<Row extends { readonly id: string }>(
  rows: readonly Row[],
  limit: number,
): NoticePage<Row> {
  if (rows.length <= limit) return { rows };
  const page = rows.slice(0, limit);
  return { rows: page, cursor: page.at(-1)?.id };
}
