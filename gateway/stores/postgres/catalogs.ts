import type { Catalog, CatalogContent } from "../../domain/catalog/catalog.ts";
import type { Noted, TrailDraft } from "../../domain/operators/trail.ts";
import type { CatalogStore } from "../../ports/catalog_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { MAX_CATALOG_BYTES, MAX_NOTE_CHARS } from "../kv/limits.ts";
import { Mutex } from "../kv/mutex.ts";
import { announce, type Topic } from "./changes/announce.ts";
import type { Changes, Watcher } from "./changes/changes.ts";
import { query, type Sql } from "./connection.ts";
import { noteIn } from "./operators/trail.ts";

/** Versions of the catalog in PostgreSQL; the newest is in memory, and all instances hear of it. */
export class PostgresCatalogStore implements CatalogStore, Watcher {
  readonly topics: readonly Topic[] = ["catalog"];
  readonly #sql: Sql;
  readonly #applying = new Mutex();
  #current: Catalog | undefined;
  #isOld = true;
  #tell: (catalog: Catalog) => void = () => {};

  /** Reads the newest version. */
  static async open(sql: Sql, changes: Changes): Promise<PostgresCatalogStore> {
    const store = new PostgresCatalogStore(sql);
    changes.watch(store);
    await store.catchUp();
    return store;
  }

  private constructor(sql: Sql) {
    this.#sql = sql;
  }

  current(): Catalog {
    if (this.#current === undefined) throw new StoreError("No catalog has been applied yet");
    return this.#current;
  }

  async get(version: number): Promise<Catalog | undefined> {
    const [row] = await query(this.#sql<{ data: string }[]>`
      select data from catalog_version where version = ${version}
    `);
    return row && JSON.parse(row.data);
  }

  async history(
    limit: number,
    { before }: { readonly before?: number | undefined } = {},
  ): Promise<readonly { version: number; updatedAtMs: number; note: string }[]> {
    const rows = await query(
      this.#sql<{ version: number; updated_at_ms: bigint; note: string }[]>`
        select version, updated_at_ms, note from catalog_version
        where version < ${before ?? null}::int or ${before ?? null}::int is null
        order by version desc limit ${limit}
      `,
    );
    return rows.map(({ version, updated_at_ms, note }) => {
      return { version, updatedAtMs: Number(updated_at_ms), note: JSON.parse(note) };
    });
  }

  apply(
    content: CatalogContent,
    { expected, note, atMs, entry }:
      & { expected: number; note: string; atMs: number }
      & Noted<Catalog>,
  ): Promise<Catalog | undefined> {
    return this.#applying.run(async () => {
      const catalog: Catalog = { ...content, version: expected + 1, updatedAtMs: atMs };
      try {
        // A version that is not the newest here is stored by no write.
        const draft = entry?.({ before: this.#current, after: catalog });
        if (!await this.#write(catalog, note, draft)) {
          this.#isOld = true;
          await this.catchUp();
          return undefined;
        }
      } catch (error) {
        // It may have landed.
        this.#isOld = true;
        throw error;
      }
      this.#take(catalog);
      return catalog;
    });
  }

  /** Calls `tell` with each version of another instance that comes into force here. */
  watch(tell: (catalog: Catalog) => void): void {
    this.#tell = tell;
  }

  changed(): void {
    this.#isOld = true;
  }

  reset(): void {
    this.#isOld = true;
  }

  async catchUp(): Promise<void> {
    if (!this.#isOld) return;
    this.#isOld = false;
    try {
      const [row] = await query(this.#sql<{ data: string }[]>`
        select data from catalog_version where version > ${this.#current?.version ?? 0}
        order by version desc limit 1
      `);
      if (row !== undefined && this.#take(JSON.parse(row.data))) this.#tell(this.current());
    } catch (error) {
      this.#isOld = true;
      throw error;
    }
  }

  /** Puts a version in force, unless a later one is; returns false then. */
  #take(catalog: Catalog): boolean {
    if (catalog.version <= (this.#current?.version ?? 0)) return false;
    this.#current = catalog;
    return true;
  }

  /** Stores a version; resolves to false if the one before it is not the newest. */
  #write(catalog: Catalog, note: string, entry: TrailDraft | undefined): Promise<boolean> {
    const { version, updatedAtMs } = catalog;
    const data = JSON.stringify(catalog);
    const { length } = new TextEncoder().encode(data);
    if (length > MAX_CATALOG_BYTES) {
      throw new StoreError(
        `Cannot write a catalog of ${length} bytes: at most ${MAX_CATALOG_BYTES}`,
      );
    }
    return query(this.#sql.begin(async (sql) => {
      // Of two instances with the same version the second waits here for the first, and conflicts.
      const { count } = await sql`
        insert into catalog_version (version, updated_at_ms, note, data)
        select ${version}, ${updatedAtMs}, ${JSON.stringify(note.slice(0, MAX_NOTE_CHARS))}, ${data}
        where coalesce((select max(version) from catalog_version), 0) = ${version - 1}
        on conflict do nothing
      `;
      if (count > 0) {
        await announce(sql, "catalog", [String(version)]);
        await noteIn(sql, entry);
      }
      return count > 0;
    }));
  }
}
