/**
 * Migrations of the database: versioned, forward only, taken by one instance at a time.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";
import { query, type Sql } from "./connection.ts";
import { CHANGE_TABLES } from "./sql/change_tables.ts";
import { INSTANCE_TABLES } from "./sql/instance_tables.ts";
import { LEARNING_TABLES } from "./sql/learning_tables.ts";
import { LEDGER_TABLES } from "./sql/ledger_tables.ts";
import { LOG_TABLES } from "./sql/log_tables.ts";
import { PASSAGE_TABLES } from "./sql/passage_tables.ts";
import { VALUE_TABLES } from "./sql/value_tables.ts";

/** A change of the tables. Each must leave them usable for the version before it. */
interface Migration {
  readonly name: string;
  readonly sql: string;
}

/** All migrations, in order. A released one never changes. */
const MIGRATIONS: readonly Migration[] = [
  { name: "instances", sql: INSTANCE_TABLES },
  { name: "ledger", sql: LEDGER_TABLES },
  { name: "log", sql: LOG_TABLES },
  { name: "values", sql: VALUE_TABLES },
  { name: "learning", sql: LEARNING_TABLES },
  { name: "changes", sql: CHANGE_TABLES },
  { name: "passages", sql: PASSAGE_TABLES },
];

/** Key of the advisory lock: any number that no other program in the database uses. */
const LOCK = 5_811_763_204;

/**
 * Brings the tables to the present version. Instances that start together migrate once.
 *
 * @throws {StoreError} When the database was migrated by a newer version of the service.
 */
export async function migrate(sql: Sql): Promise<void> {
  await query(sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${LOCK})`;
    await tx`create table if not exists migration (
      version int primary key, name text not null, at timestamptz not null default now()
    )`;
    const [row] = await tx<{ version: number }[]>`
      select coalesce(max(version), 0) as version from migration
    `;
    const version = row?.version ?? 0;
    if (version > MIGRATIONS.length) {
      throw new StoreError(
        `The database has version ${version} of the tables, and this service knows ` +
          `${MIGRATIONS.length}: start a newer version of the service`,
      );
    }
    for (const [at, { name, sql: text }] of MIGRATIONS.slice(version).entries()) {
      await tx.unsafe(text);
      await tx`insert into migration (version, name) values (${version + at + 1}, ${name})`;
    }
  }));
}
