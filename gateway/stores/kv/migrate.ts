/**
 * Migrates the rows of an older store to the layout of this version, one step after another. Every
 * commit checks the head row, and replaces it with its fence, as the writer's folds do.
 *
 * @module
 */

import { StoreError } from "../../ports/store_error.ts";
import { commitRowMigration } from "./commits/commit_row_migration.ts";
import { fenceMigration } from "./commits/fence_migration.ts";
import { correctionMigration } from "./journal/correction_migration.ts";
import { listMigration } from "./list_migration.ts";
import { SCHEMA_VERSION } from "./limits.ts";
import type { Migration } from "./migration.ts";
import { type Head, HEAD_KEY, headRows, type Row } from "./rows.ts";

export type { Migration } from "./migration.ts";

/** Progress of a migration. */
export interface MigrationProgress {
  readonly from: number;
  readonly to: number;
  readonly what: string;
  readonly done: number;
  readonly total: number;
  readonly state: "begins" | "works" | "ends";
}

/** Options of a migration. */
export interface MigrateOptions {
  /**
   * @default {those of this version}
   */
  readonly migrations?: readonly Migration[] | undefined;
  /** Version of this program; recorded in the store. */
  readonly program?: string | undefined;
  readonly onMigration?: ((progress: MigrationProgress) => void) | undefined;
}

/** Every step of the layout, oldest first. The first layout, 1, needs none. */
export const MIGRATIONS: readonly Migration[] = [
  listMigration,
  commitRowMigration,
  correctionMigration,
  fenceMigration,
];

/** Returns the layout after a list of migrations. */
export function newestSchema(migrations: readonly Migration[] = MIGRATIONS): number {
  return migrations.at(-1)?.to ?? SCHEMA_VERSION;
}

/**
 * Refuses a store that a later version wrote.
 *
 * @throws {StoreError} With the version that wrote it.
 */
export function requireKnownSchema(
  { schema, writtenBy }: Head,
  { migrations, program }: MigrateOptions = {},
): void {
  const knownSchema = newestSchema(migrations);
  if (schema <= knownSchema) return;
  const writer = writtenBy === undefined ? "a later svc" : `svc ${writtenBy}`;
  const here = program === undefined ? "this svc" : `this svc, ${program},`;
  throw new StoreError(
    `Cannot open the store: ${writer} wrote it in schema ${schema}, and ${here} knows schemas up ` +
      `to ${knownSchema}; start that version again, or restore a backup from before the upgrade`,
  );
}

/**
 * Runs the migrations that a store needs. After an interruption the next start continues; an older
 * version refuses such a store from the first change on.
 *
 * @throws {StoreError} When a later version wrote the store, or another process writes to it.
 */
export async function migrate(kv: Deno.Kv, options: MigrateOptions): Promise<void> {
  const { migrations = MIGRATIONS, program, onMigration } = options;
  for (;;) {
    const row = await kv.get<Head>(HEAD_KEY);
    if (row.value === null) return;
    requireKnownSchema(row.value, options);
    const from = row.value.migratingFrom ?? row.value.schema;
    if (from === newestSchema(migrations)) return;
    const next = migrations.find(({ to }) => to === from + 1);
    if (next === undefined) {
      throw new StoreError(
        `Cannot open the store: it has schema ${from}, from which this version of svc cannot migrate`,
      );
    }
    const head = { ...row.value, session: crypto.randomUUID(), schema: next.to };
    const marked: Head = {
      ...head,
      migratingFrom: from,
      ...(program === undefined ? {} : { writtenBy: program }),
    };
    const fence = new Fence(kv, row.versionstamp);
    const about = { from, to: next.to, what: next.what };
    await fence.commit(marked);
    let last = { done: 0, total: 0 };
    onMigration?.({ ...about, ...last, state: "begins" });
    for await (const { rows, done, total } of next.batches(kv)) {
      await fence.commit(marked, rows);
      last = { done, total };
      onMigration?.({ ...about, ...last, state: "works" });
    }
    const { migratingFrom: _done, ...ended } = marked;
    await fence.commit(ended);
    onMigration?.({ ...about, ...last, state: "ends" });
  }
}

/** The commits of one migration. None succeeds once another writer has taken over the store. */
class Fence {
  readonly #kv: Deno.Kv;
  #versionstamp: string | null;

  constructor(kv: Deno.Kv, versionstamp: string | null) {
    this.#kv = kv;
    this.#versionstamp = versionstamp;
  }

  async commit(head: Head, rows: readonly Row[] = []): Promise<void> {
    const check = { key: HEAD_KEY, versionstamp: this.#versionstamp };
    const atomic = this.#kv.atomic().check(check);
    for (const { key, value } of [...headRows(head), ...rows]) {
      if (value === undefined) atomic.delete(key);
      else atomic.set(key, value);
    }
    const result = await atomic.commit();
    if (!result.ok) throw new StoreError("Cannot migrate the store: another process writes to it");
    this.#versionstamp = result.versionstamp;
  }
}
