import { type Connection, query, type Sql } from "./connection.ts";

/** Time for which the reader of a snapshot may be silent, in milliseconds. */
const SILENT_READER_MS = 60_000;

/** A connection on which every statement sees the database as it was at one moment. */
export interface Snapshot {
  readonly sql: Connection;
  /** Ends the moment, and gives the connection back. */
  release(): Promise<void>;
}

/** Opens a snapshot. It locks nothing, but rows that change meanwhile are kept until its end. */
export async function openSnapshot(pool: Sql): Promise<Snapshot> {
  const sql = await query(pool.reserve());
  const release = async () => {
    // A lost connection has ended the transaction.
    await sql.unsafe("rollback").catch(() => {});
    sql.release();
  };
  try {
    await query(sql.unsafe(`
      begin isolation level repeatable read, read only;
      set local idle_in_transaction_session_timeout = ${SILENT_READER_MS};
    `));
  } catch (error) {
    await release();
    throw error;
  }
  return { sql, release };
}
