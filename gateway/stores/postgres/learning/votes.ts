import { SOURCES_MAX } from "../../../domain/requests/feedback.ts";
import type { PlacedVote } from "../../../ports/store_copying.ts";
import type { Vote, VoteEnd, VoteStore } from "../../../ports/vote_store.ts";
import { query, type Sql } from "../connection.ts";
import { textId } from "../text_id.ts";

/** Votes that a walk through all of them reads at once. */
const PAGE = 500;

/** Votes in PostgreSQL. Positions grow by one and are never used again, so that a cursor is one. */
export class PostgresVotes implements VoteStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  put(vote: Vote): Promise<VoteEnd> {
    const [logId, source] = [textId(vote.logId), textId(vote.source)];
    return query(this.#sql.begin(async (sql): Promise<VoteEnd> => {
      const [head] = await sql<{ last: bigint }[]>`select last from vote_head for update`;
      const others = await sql<{ source: string; score: number }[]>`
        select source, score from vote where log_id = ${logId}
      `;
      const known = others.find((other) => other.source === source);
      if (known !== undefined) return known.score === vote.score ? "repeated" : "conflict";
      if (others.length >= SOURCES_MAX) return "full";
      const position = (head?.last ?? 0n) + 1n;
      await sql`update vote_head set last = ${position}`;
      await sql`
        insert into vote (position, log_id, source, score, at_ms, data)
        values (${position}, ${logId}, ${source}, ${vote.score}, ${vote.atMs},
          ${JSON.stringify(vote)})
      `;
      return "stored";
    }));
  }

  async of(logId: string): Promise<readonly Vote[]> {
    const rows = await query(this.#sql<{ data: string }[]>`
      select data from vote where log_id = ${textId(logId)} order by position
    `);
    return rows.map(({ data }) => JSON.parse(data));
  }

  async since(
    cursor: string | undefined,
    limit: number,
  ): Promise<{ readonly votes: readonly Vote[]; readonly cursor?: string | undefined }> {
    const rows = await query(this.#sql<{ position: bigint; data: string }[]>`
      select position, data from vote where position > ${cursor ?? "0"}
      order by position limit ${limit}
    `);
    const last = rows.at(-1)?.position;
    const votes = rows.map(({ data }): Vote => JSON.parse(data));
    return { votes, cursor: last === undefined ? cursor : String(last) };
  }

  /** Yields all votes, and the last position. */
  async *placed(): AsyncGenerator<PlacedVote> {
    for (let last = 0n;;) {
      const rows = await query(this.#sql<{ position: bigint; data: string }[]>`
        select position, data from vote where position > ${last} order by position limit ${PAGE}
      `);
      for (const { position, data } of rows) {
        yield { position: Number(position), vote: JSON.parse(data) };
      }
      const end = rows.at(-1)?.position;
      if (end === undefined) break;
      last = end;
    }
    const [head] = await query(this.#sql<{ last: bigint }[]>`select last from vote_head`);
    yield { position: Number(head?.last ?? 0) };
  }

  /** Stores votes at their positions. Nothing else may store any meanwhile. */
  async putPlaced(votes: readonly PlacedVote[]): Promise<void> {
    await query(this.#sql.begin(async (sql) => {
      for (const { position, vote } of votes) {
        await sql`update vote_head set last = greatest(last, ${position})`;
        if (vote === undefined) continue;
        await sql`
          insert into vote (position, log_id, source, score, at_ms, data)
          values (${position}, ${textId(vote.logId)}, ${textId(vote.source)}, ${vote.score},
            ${vote.atMs}, ${JSON.stringify(vote)})
          on conflict do nothing
        `;
      }
    }));
  }

  async sweep(beforeMs: number): Promise<number> {
    return (await query(this.#sql`delete from vote where at_ms < ${beforeMs}`)).count;
  }
}
