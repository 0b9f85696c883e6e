import type { Noted } from "../../../domain/operators/trail.ts";
import type {
  ConsoleSessionStore,
  SessionBounds,
  SessionChoice,
  SessionSpan,
  SignInTicket,
  StoredSession,
} from "../../../ports/console_session_store.ts";
import { query, type Sql } from "../connection.ts";
import { noteIn } from "../operators/trail.ts";
import { lockConsoleSessions } from "../sql/locks.ts";
import { textId } from "../text_id.ts";

/** A row of a session; `data` has all but the time of the last use. */
interface SessionRow {
  readonly used_ms: bigint;
  readonly data: string;
}

/** Sessions of the console in PostgreSQL: none is in memory, so an end counts at once everywhere. */
export class PostgresConsoleSessions implements ConsoleSessionStore {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  async create(
    session: StoredSession,
    { max, allMax, usedAfterMs, beganAfterMs }: SessionBounds,
    { entry }: Noted<StoredSession> = {},
  ): Promise<boolean> {
    const { digest, name, beganMs, usedMs, version } = session;
    const actor = textId(session.actor.id);
    return await query(this.#sql.begin(async (tx) => {
      await lockConsoleSessions(tx);
      await tx`
        delete from console_session
        where used_ms <= ${usedAfterMs} or began_ms <= ${beganAfterMs}
      `;
      const [{ own, all } = { own: 0n, all: 0n }] = await tx<{ own: bigint; all: bigint }[]>`
        select count(*) filter (where actor = ${actor}) as own, count(*) as all
        from console_session
      `;
      const over = Math.max(0, Number(own) - (max - 1));
      if (Number(all) - over >= allMax) return false;
      await tx`
        delete from console_session where digest in (
          select digest from console_session where actor = ${actor}
          order by used_ms, number limit ${over}
        )
      `;
      await tx`
        insert into console_session (digest, name, actor, began_ms, used_ms, version, data)
        values (${digest}, ${name}, ${actor}, ${beganMs}, ${usedMs}, ${version},
          ${JSON.stringify(session)})
      `;
      await noteIn(tx, entry?.({ after: session }));
      return true;
    }));
  }

  async get(digest: string): Promise<StoredSession | undefined> {
    const [row] = await query(this.#sql<SessionRow[]>`
      select used_ms, data from console_session where digest = ${digest}
    `);
    return row && decoded(row);
  }

  async list({ usedAfterMs, beganAfterMs }: SessionSpan): Promise<readonly StoredSession[]> {
    const rows = await query(this.#sql<SessionRow[]>`
      select used_ms, data from console_session
      where used_ms > ${usedAfterMs} and began_ms > ${beganAfterMs}
      order by used_ms desc, number desc
    `);
    return rows.map(decoded);
  }

  async replace(session: StoredSession): Promise<boolean> {
    const { digest, actor, version } = session;
    const { count } = await query(this.#sql`
      update console_session
      set version = ${version}, actor = ${textId(actor.id)}, data = ${JSON.stringify(session)}
      where digest = ${digest} and version = ${version - 1}
    `);
    return count > 0;
  }

  async touch(digest: string, usedMs: number): Promise<void> {
    await query(this.#sql`
      update console_session set used_ms = ${usedMs}
      where digest = ${digest} and used_ms < ${usedMs}
    `);
  }

  async end(choice: SessionChoice, { entry }: Noted<StoredSession> = {}): Promise<void> {
    await query(this.#sql.begin(async (tx) => {
      const chosen = "digest" in choice
        ? tx`digest = ${choice.digest}`
        : "name" in choice
        ? tx`name = ${textId(choice.name)}`
        : tx`actor = ${textId(choice.actorId)}`;
      const rows = await tx<SessionRow[]>`
        delete from console_session where ${chosen} returning used_ms, data
      `;
      for (const row of rows) await noteIn(tx, entry?.({ before: decoded(row) }));
    }));
  }

  async putTicket(
    { digest, sealed, untilMs }: SignInTicket,
    { nowMs, max }: { readonly nowMs: number; readonly max: number },
  ): Promise<void> {
    await query(this.#sql.begin(async (tx) => {
      await tx`
        insert into console_ticket (digest, sealed, until_ms)
        values (${digest}, ${sealed}, ${untilMs})
      `;
      await tx`
        delete from console_ticket where until_ms <= ${nowMs} or digest in (
          select digest from console_ticket order by number desc offset ${max}
        )
      `;
    }));
  }

  async takeTicket(digest: string): Promise<SignInTicket | undefined> {
    const [row] = await query(this.#sql<{ sealed: string; until_ms: bigint }[]>`
      delete from console_ticket where digest = ${digest} returning sealed, until_ms
    `);
    return row && { digest, sealed: row.sealed, untilMs: Number(row.until_ms) };
  }
}

function decoded({ used_ms, data }: SessionRow): StoredSession {
  return { ...JSON.parse(data), usedMs: Number(used_ms) };
}
