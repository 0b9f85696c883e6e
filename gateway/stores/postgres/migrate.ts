/**
 * Migrations of the database: versioned, forward only, taken by one instance at a time.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";
import { query, type Sql } from "./connection.ts";
import { BUDGET_TABLES } from "./sql/budget_tables.ts";
import { CHANGE_TABLES } from "./sql/change_tables.ts";
import { FILE_TABLES } from "./sql/file_tables.ts";
import { CORRECTION_TABLES } from "./sql/correction_tables.ts";
import { INSTANCE_TABLES } from "./sql/instance_tables.ts";
import { EMBEDDING_TABLES } from "./sql/embedding_tables.ts";
import { ADDITION_TABLES } from "./sql/addition_tables.ts";
import { LEARNING_TABLES } from "./sql/learning_tables.ts";
import { LEDGER_TABLES } from "./sql/ledger_tables.ts";
import { LIMIT_TABLES } from "./sql/limit_tables.ts";
import { takeLock } from "./sql/locks.ts";
import { LOG_TABLES } from "./sql/log_tables.ts";
import { MEMORY_TABLES } from "./sql/memory_tables.ts";
import { NOTICE_TABLES } from "./sql/notice_tables.ts";
import { OPERATOR_TABLES } from "./sql/operator_tables.ts";
import { PASSAGE_TABLES } from "./sql/passage_tables.ts";
import { PASS_TABLES } from "./sql/pass_tables.ts";
import { SESSION_TABLES } from "./sql/session_tables.ts";
import { VALUE_TABLES } from "./sql/value_tables.ts";

/**
 * A change of the tables, in a transaction of its own. Each must leave them usable for the version
 * before it.
 */
export interface Migration {
  readonly name: string;
  readonly sql: string;
  /**
   * True for one statement that changes some rows each time: it is repeated, each time in a
   * transaction of its own, until it changes none. So large tables are filled without long locks.
   *
   * @default {false}
   */
  readonly isRepeated?: boolean;
}

/** All migrations, in order. A released one never changes. */
export const MIGRATIONS: readonly Migration[] = [
  { name: "instances", sql: INSTANCE_TABLES },
  { name: "ledger", sql: LEDGER_TABLES },
  { name: "log", sql: LOG_TABLES },
  { name: "values", sql: VALUE_TABLES },
  { name: "learning", sql: LEARNING_TABLES },
  { name: "changes", sql: CHANGE_TABLES },
  { name: "passages", sql: PASSAGE_TABLES },
  { name: "memory", sql: MEMORY_TABLES },
  { name: "limits", sql: LIMIT_TABLES },
  { name: "additions", sql: ADDITION_TABLES },
  { name: "notices", sql: NOTICE_TABLES },
  { name: "operators", sql: OPERATOR_TABLES },
  { name: "passes", sql: PASS_TABLES },
  { name: "files", sql: FILE_TABLES },
  { name: "embeddings", sql: EMBEDDING_TABLES },
  { name: "corrections", sql: CORRECTION_TABLES },
  { name: "sessions", sql: SESSION_TABLES },
  { name: "budgets", sql: BUDGET_TABLES },
];

/** Version of the tables that this program makes. */
export const NEWEST_VERSION = MIGRATIONS.length;

/**
 * Wait for one lock of a table: shorter than the time after which the server ends one of two
 * transactions that wait for each other, which could be that of an instance that serves. It is also
 * the longest for which a waiting migration holds up others.
 */
const LOCK_WAIT = "500ms";
/** Maximum time of a migration, and of the wait for those of other instances, in milliseconds. */
const LIMIT_MS = 6 * 3_600_000;
/** Number of attempts to get all locks, and the time between them, in milliseconds. */
const TRIES = 120;
const RETRY_MS = 250;
/** Codes of the server: a lock was not free in time, and two transactions waited for each other. */
const BUSY = ["55P03", "40P01"];

/**
 * Brings the tables to the present version. Instances that start together migrate once, while those
 * of the version before it serve.
 *
 * @throws {StoreError} When the database was migrated by a newer version of the service.
 */
export async function migrate(
  sql: Sql,
  { migrations = MIGRATIONS }: {
    /** For tests. */
    readonly migrations?: readonly Migration[] | undefined;
  } = {},
): Promise<void> {
  let attempt = 1;
  for (;;) {
    try {
      if (await isMigrated(sql, migrations)) return;
      attempt = 1;
    } catch (error) {
      if (attempt++ >= TRIES || !isBusy(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return "code" in error && BUSY.includes(String(error.code)) || isBusy(error.cause);
}

/** Makes one step, in one transaction. Returns true if there was none to make. */
async function isMigrated(sql: Sql, migrations: readonly Migration[]): Promise<boolean> {
  return await query(sql.begin(async (tx) => {
    await tx`select set_config('statement_timeout', '0', true)`;
    await takeLock(tx, "migration", { limitMs: LIMIT_MS });
    await tx`select set_config('lock_timeout', ${LOCK_WAIT}, true)`;
    await tx`create table if not exists migration (
      version int primary key, name text not null, at timestamptz not null default now()
    )`;
    const [row] = await tx<{ version: number }[]>`
      select coalesce(max(version), 0) as version from migration
    `;
    const version = row?.version ?? 0;
    if (version > migrations.length) {
      throw new StoreError(
        `The database has version ${version} of the tables, and this service knows ` +
          `${migrations.length}: start a newer version of the service`,
      );
    }
    const next = migrations[version];
    if (next === undefined) return true;
    const { count } = await tx.unsafe(next.sql, [], { limitMs: LIMIT_MS });
    if (next.isRepeated === true && count > 0) return false;
    await tx`insert into migration (version, name) values (${version + 1}, ${next.name})`;
    return false;
  }));
}
