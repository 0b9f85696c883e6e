/**
 * Reads and writes the rows of a store's file beside Deno KV. The file is SQLite's, in write-ahead
 * mode: one read transaction sees one moment of it, also from another process, and neither waits
 * for the writer nor delays it.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { deserialize } from "node:v8";
import { z } from "zod";
import { storedChains } from "../stores/kv/commits/stored_chains.ts";
import { fileErrorText } from "../system/file_error_text.ts";
import { BackupError } from "./backup_error.ts";
import type { BackupRecord, Value } from "./records.ts";

/** Columns of the tables of a store; Deno KV's queues are not used. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  data_version: ["k", "version", "seq"],
  kv: ["k", "v", "v_encoding", "version", "seq", "expiration_ms"],
};
/** Longest wait for the file's lock: a service that starts after a crash holds it for a moment. */
const LOCK_WAIT_MS = 5_000;
/** The key `["writer"]` as Deno KV encodes it. */
const HEAD = keyOf("writer");
/**
 * The beginning of the keys of links and sessions of key holders, which a backup leaves out: they are
 * over within the hour, and one that was used or ended must not come back.
 */
const PASSES = keyOf("key_pass");
/** Rows that a backup has, by table. @default {all} */
const KEPT: Readonly<Record<string, { readonly where: string; readonly values: Uint8Array[] }>> = {
  kv: { where: "WHERE k < ? OR k >= ?", values: [PASSES, PASSES.with(-1, 1)] },
};
const ALL = { where: "", values: [] };
/** The beginning of the keys of commit rows. */
const COMMITS = keyOf("commit");

const TAIL = z.object({
  segment: z.number(),
  hash: z.string(),
  total: z.number(),
  atMs: z.number(),
  maxId: z.string(),
});
const HEAD_ROW = z.object({
  schema: z.number(),
  writtenBy: z.string().optional(),
  commit: z.number(),
  journal: TAIL,
  log: TAIL,
});

/** End of the ledger in a snapshot. */
export interface SnapshotHead {
  /** Version of the layout of rows. */
  readonly schema: number;
  /** Version of the service that wrote last, if recorded. */
  readonly writtenBy: string | undefined;
  readonly entries: number;
  readonly segments: number;
  /** SHA-256 of the last journal segment, hexadecimal. */
  readonly head: string;
  /** Requests ever logged. */
  readonly requests: number;
}

/** A store at one moment. */
export interface Snapshot extends Disposable {
  readonly head: SnapshotHead;
  /** Number of rows in all tables. */
  readonly count: number;
  rows(): Generator<BackupRecord>;
}

/**
 * Opens a snapshot of the store in a file.
 *
 * @throws {BackupError} When the file does not exist or cannot be read.
 */
export function snapshotOf(path: string): Snapshot {
  let opened: DatabaseSync | undefined;
  try {
    // SQLite would create a missing file.
    Deno.lstatSync(path);
    // Opened read-only, it would leave its helper files behind when no other process has it open.
    const db = opened = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
    db.exec("PRAGMA query_only = ON; BEGIN");
    const head = headOf(db);
    const count = Object.keys(TABLES).reduce((sum, table) => sum + countOf(db, table), 0);
    return { head, count, rows: () => rowsOf(db), [Symbol.dispose]: () => db.close() };
  } catch (cause) {
    opened?.close();
    if (cause instanceof BackupError) throw cause;
    throw new BackupError(`Cannot read the store "${path}": ${fileErrorText(cause)}`, { cause });
  }
}

function headOf(db: DatabaseSync): SnapshotHead {
  const row = db.prepare("SELECT v FROM kv WHERE k = ?").get(HEAD);
  const parsed = HEAD_ROW.safeParse(row?.v instanceof Uint8Array ? deserialize(row.v) : undefined);
  if (!parsed.success) throw new BackupError("The file holds no store of svc");
  const { schema, writtenBy } = parsed.data;
  const { journal, log } = storedChains(parsed.data, commitsOf(db));
  const { total: entries, segment: segments, hash: head } = journal.end;
  return { schema, writtenBy, entries, segments, head, requests: log.total };
}

/** Returns the values of the commit rows. */
function commitsOf(db: DatabaseSync): unknown[] {
  const end = COMMITS.with(-1, 1);
  const rows = db.prepare("SELECT v FROM kv WHERE k > ? AND k < ?").all(COMMITS, end);
  return rows.map(({ v }) => v);
}

/** Returns a text as Deno KV encodes it in a key. */
function keyOf(text: string): Uint8Array {
  return Uint8Array.of(2, ...new TextEncoder().encode(text), 0);
}

function countOf(db: DatabaseSync, table: string): number {
  const { where, values } = KEPT[table] ?? ALL;
  return Number(db.prepare(`SELECT count(*) AS n FROM ${table} ${where}`).get(...values)?.n);
}

function* rowsOf(db: DatabaseSync): Generator<BackupRecord> {
  for (const [table, columns] of Object.entries(TABLES)) {
    const { where, values } = KEPT[table] ?? ALL;
    const query = db.prepare(`SELECT ${columns.join(", ")} FROM ${table} ${where}`);
    query.setReadBigInts(true);
    for (const row of query.iterate(...values)) {
      yield [
        table,
        ...columns.map((name) => valueOf(row[name])),
      ];
    }
  }
}

function valueOf(value: unknown): Value {
  if (value === null || typeof value === "string" || typeof value === "bigint") return value;
  if (value instanceof Uint8Array) return value;
  throw new BackupError(`The store has a value of the type ${typeof value}`);
}

/** Loads the rows of a store into a file that Deno KV has created. */
export class RowLoader implements Disposable {
  readonly #db: DatabaseSync;
  readonly #inserts: ReadonlyMap<string, ReturnType<DatabaseSync["prepare"]>>;
  /** Number of loaded rows. */
  count = 0;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    // No process reads it before it is complete, and it is made durable then.
    this.#db.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = OFF; BEGIN");
    for (const table of Object.keys(TABLES)) this.#db.exec(`DELETE FROM ${table}`);
    this.#inserts = new Map(
      Object.entries(TABLES).map(([table, columns]) => {
        const places = columns.map(() => "?").join(", ");
        const sql = `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${places})`;
        return [table, this.#db.prepare(sql)];
      }),
    );
  }

  /** Loads a row. Returns false for a record of another kind. */
  take([kind, ...values]: BackupRecord): boolean {
    const insert = this.#inserts.get(kind);
    if (insert === undefined) return false;
    insert.run(...values);
    this.count++;
    return true;
  }

  /** Commits the loaded rows. */
  end(): void {
    this.#db.exec("COMMIT");
  }

  [Symbol.dispose](): void {
    this.#db.close();
  }
}

/** Moves the write-ahead log of a store into its file, if both are readable. */
export function foldIn(path: string): void {
  try {
    Deno.lstatSync(path);
    using db = new DatabaseSync(path);
    db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // There is no store, or it is damaged: it is moved aside unchanged.
  }
}
