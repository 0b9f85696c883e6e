import type { Transaction } from "../connection.ts";

/** Kinds of changes that instances tell each other. */
export type Topic = "key" | "new_key" | "catalog" | "vector_store" | "routing" | "setting";

/** A change that another instance, or this one, has committed. */
export interface Change {
  /** Numbers grow by one, in the order in which changes become visible. */
  readonly number: number;
  readonly topic: Topic;
  /** Names the thing that changed; its form is the topic's own. */
  readonly subject: string;
}

/** Channel of notices. A notice says that there are changes, not which. */
export const CHANNEL = "svc_change";

/**
 * Announces changes with the commit of a transaction; resolves to the number of the last. Call it last: it
 * locks the numbers until the transaction ends.
 */
export async function announce(
  sql: Transaction,
  topic: Topic,
  subjects: readonly string[],
): Promise<number> {
  const [row] = await sql<{ last: bigint }[]>`
    with head as (update change_head set last = last + ${subjects.length}::int returning last),
    noted as (
      insert into change (number, topic, subject)
      select last - ${subjects.length}::int + at, ${topic}, subject
      from head, unnest(${subjects}::text[]) with ordinality as s(subject, at)
    )
    select last, pg_notify(${CHANNEL}, '') from head
  `;
  return Number(row?.last ?? 0);
}
