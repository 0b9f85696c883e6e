/**
 * A look at a database from outside: nothing is created or changed.
 *
 * @module
 */

import { connect, query } from "./connection.ts";
import { NEWEST_VERSION } from "./migrate.ts";

/** Time after its last beat from which an instance counts as silent: the others would end it. */
const SILENT_SECONDS = 6;

/** A database as the doctor sees it. */
export interface DatabaseState {
  /** Version of the server, such as `15.4`. */
  readonly server: string;
  /** Version of the tables; 0 where there are none. */
  readonly version: number;
  /** Version of the tables that this program makes. */
  readonly newest: number;
  /** True when a commit is on the disk of the server before it is answered. */
  readonly isDurable: boolean;
  /** True when the server takes no changes, as a standby does. */
  readonly isReadOnly: boolean;
  /** Number of instances that were heard of a moment ago. */
  readonly living: number;
  /** Number of those that have gone silent, and were not ended yet. */
  readonly silent: number;
}

/** Reads the state. Throws a `StoreError` when the database cannot be used. */
export async function inspectDatabase(url: string): Promise<DatabaseState> {
  const sql = connect(url, { max: 1 });
  try {
    const [server] = await query(sql<{ version: string; durable: boolean; standby: boolean }[]>`
      select current_setting('server_version') as version, pg_is_in_recovery() as standby,
        current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable
    `);
    const [table] = await query(sql<{ exists: boolean }[]>`
      select to_regclass('migration') is not null as exists
    `);
    const hasTables = table?.exists === true;
    const [row] = hasTables
      ? await query(sql<{ version: number }[]>`select max(version) as version from migration`)
      : [];
    const [sessions] = hasTables
      ? await query(sql<{ living: number; silent: number }[]>`
        select count(*) filter (where is_heard)::int as living,
          count(*) filter (where not is_heard)::int as silent
        from (
          select seen_at > clock_timestamp() - make_interval(secs => ${SILENT_SECONDS}) as is_heard
          from instance where ended_at is null
        ) as session
      `)
      : [];
    return {
      server: server?.version ?? "",
      version: row?.version ?? 0,
      newest: NEWEST_VERSION,
      isDurable: server?.durable === true,
      isReadOnly: server?.standby === true,
      ...{ living: sessions?.living ?? 0, silent: sessions?.silent ?? 0 },
    };
  } finally {
    await sql.end({ timeout: 1 });
  }
}
