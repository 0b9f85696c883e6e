/**
 * Poolers between the service and its database: one of sessions serves as the server does, one of
 * transactions is refused.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";
import { SETTINGS_MARK } from "./clients.ts";
import { type Connection, query, type Sql } from "./connection.ts";
import type { Link } from "./link.ts";

/** Number of times that two connections are compared: other users of the pooler disturb some. */
const ROUNDS = 5;

/**
 * Checks that a connection is one session of the server from its beginning to its end: notices,
 * prepared statements and the limit of a silent transaction depend on it. Settings that a pooler of
 * sessions has dropped are set by the connections of the link from now on.
 *
 * @throws {StoreError} Behind a pooler that gives each transaction another session.
 */
export async function assertSession(sql: Sql, link: Link): Promise<void> {
  const one = await query(sql.reserve());
  try {
    const other = await query(sql.reserve());
    try {
      if (await query(arePooled(one, other))) {
        throw new StoreError(
          "The database is behind a pooler of transactions, which the service cannot use: connect to " +
            "the server itself, or to a pooler of sessions (PgBouncer: pool_mode = session)",
        );
      }
      const [row] = await query(one.unsafe<{ is_kept: boolean }[]>(
        "select coalesce(current_setting($1, true), '') = 'on' as is_kept",
        [SETTINGS_MARK],
      ));
      if (row?.is_kept === false) link.takesSettings = false;
    } finally {
      other.release();
    }
  } finally {
    one.release();
  }
}

/**
 * True when one connection shows two sessions, or both show one. A pooler of transactions gives the
 * session that was free last, or has been free for the longest time, to the next transaction.
 */
async function arePooled(one: Connection, other: Connection): Promise<boolean> {
  const first = await sessionOf(one);
  for (let round = 0; round < ROUNDS; round++) {
    await other.unsafe("begin");
    try {
      // While this transaction is open, a pooler cannot give its session to the first connection.
      if (await sessionOf(other) === first || await sessionOf(one) !== first) return true;
    } finally {
      await other.unsafe("commit");
    }
  }
  return false;
}

async function sessionOf(connection: Connection): Promise<number> {
  const [row] = await connection.unsafe<{ pid: number }[]>("select pg_backend_pid() as pid");
  return Number(row?.pid);
}
