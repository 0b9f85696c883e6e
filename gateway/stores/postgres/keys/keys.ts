import type { KeyRecord } from "../../../domain/policy/key.ts";
import type { Noted } from "../../../domain/operators/trail.ts";
import type { KeyPage, KeyQuery, KeyStore, StoredKey } from "../../../ports/key_store.ts";
import { NamedMutex } from "../../kv/mutex.ts";
import type { Change, Topic } from "../changes/announce.ts";
import type { Changes, Watcher } from "../changes/changes.ts";
import { query, type Sql, storeError } from "../connection.ts";
import { textId } from "../text_id.ts";
import { KeyMemory } from "./key_memory.ts";
import { readKeyPage } from "./key_page.ts";
import { eachKey, type Walk } from "./key_rows.ts";
import { insertKey, moveKey, updateKey } from "./write_key.ts";

/** API keys in PostgreSQL; the ones in use are in memory, and all instances hear of changes. */
export class PostgresKeyStore implements KeyStore, Watcher {
  readonly topics: readonly Topic[] = ["key", "new_key"];
  readonly #sql: Sql;
  readonly #memory: KeyMemory;
  // Changes of one key are made in the order in which this process asks for them.
  readonly #writing = new NamedMutex();
  #created = 0;
  #count = 0;
  #isCountOld = true;

  /** Reads the number of keys. */
  static async open(sql: Sql, changes: Changes): Promise<PostgresKeyStore> {
    const store = new PostgresKeyStore(sql, changes);
    changes.watch(store);
    await store.catchUp();
    return store;
  }

  private constructor(sql: Sql, changes: Changes) {
    this.#sql = sql;
    this.#memory = new KeyMemory(changes);
  }

  get created(): number {
    return this.#created;
  }

  remembered(digest: string): KeyRecord | undefined {
    return this.#memory.get(textId(digest));
  }

  async findByDigest(...digests: string[]): Promise<KeyRecord | undefined> {
    const sought = digests.map(textId);
    const [row] = await query(this.#sql<{ digest: string; data: string; at: bigint }[]>`
      select digest, data, (select last from change_head) as at
      from api_key where is_active and digest = any(${sought})
      order by array_position(${sought}, digest), id limit 1
    `);
    if (row === undefined) return undefined;
    const { record }: StoredKey = JSON.parse(row.data);
    this.#memory.set(row.digest, record, Number(row.at));
    return record;
  }

  async get(id: string): Promise<KeyRecord | undefined> {
    return (await this.getStored(id))?.record;
  }

  async getStored(id: string): Promise<StoredKey | undefined> {
    const [row] = await query(this.#sql<{ data: string }[]>`
      select data from api_key where id = ${textId(id)}
    `);
    return row && JSON.parse(row.data);
  }

  async hasDigest(...digests: string[]): Promise<boolean> {
    const rows = await query(this.#sql`
      select from api_key
      where is_active = any('{true,false}') and digest = any(${digests.map(textId)}) limit 1
    `);
    return rows.length > 0;
  }

  page(query: KeyQuery): Promise<KeyPage> {
    return readKeyPage(this.#sql, query);
  }

  count(): number {
    return this.#count;
  }

  async *all(): AsyncGenerator<StoredKey> {
    for await (const { key } of eachKey(this.#sql)) yield key;
  }

  ofWallet(walletId: string): AsyncGenerator<KeyRecord> {
    return this.#records({ where: this.#sql`wallet_id = ${textId(walletId)}` });
  }

  copiesOf(id: string): AsyncGenerator<KeyRecord> {
    return this.#records({ where: this.#sql`rotated_from = ${textId(id)}` });
  }

  underPepper(version: number): AsyncGenerator<KeyRecord> {
    return this.#records({ where: this.#sql`pepper = ${version}` });
  }

  create(key: StoredKey, options: Noted<KeyRecord> = {}): Promise<boolean> {
    return this.#writing.run(key.record.id, async () => {
      try {
        const count = await query(this.#sql.begin((sql) => insertKey(sql, key, options)));
        if (count === undefined) return false;
        this.#count = Math.max(this.#count, count);
        this.#created++;
        return true;
      } catch (error) {
        // It may have been created.
        this.#created++;
        throw error;
      }
    });
  }

  update(
    id: string,
    change: (record: KeyRecord) => KeyRecord,
    { entry }: Noted<KeyRecord> = {},
  ): Promise<KeyRecord | undefined> {
    return this.#writing.run(id, async () => {
      let digest: string | undefined;
      const failures: unknown[] = [];
      try {
        const changed = await this.#sql.begin((sql) =>
          updateKey(sql, {
            ...{ id, entry },
            change: (key) => {
              digest = textId(key.digest);
              try {
                return change(key.record);
              } catch (failure) {
                failures.push(failure);
                throw failure;
              }
            },
          })
        );
        if (changed === undefined || digest === undefined) return undefined;
        this.#memory.set(digest, changed.record, changed.at);
        return changed.record;
      } catch (error) {
        // The change may have landed: the next lookup reads it.
        if (digest !== undefined) this.#memory.forget(digest);
        throw failures.includes(error) ? error : storeError(error);
      }
    });
  }

  move(id: string, { from, to }: { from: string; to: string }): Promise<boolean> {
    return this.#writing.run(id, async () => {
      try {
        return await query(this.#sql.begin((sql) => moveKey(sql, id, { from, to })));
      } finally {
        this.#memory.forget(textId(from));
        this.#memory.forget(textId(to));
      }
    });
  }

  /** Forgets a key that another store has changed, by its digest: the next lookup reads it. */
  forget(digest: string): void {
    this.#memory.forget(textId(digest));
  }

  changed(change: Change): void {
    this.#memory.changed(change);
    if (change.topic !== "new_key") return;
    this.#created++;
    this.#isCountOld = true;
  }

  reset(): void {
    this.#memory.clear();
    this.#created++;
    this.#isCountOld = true;
  }

  async catchUp(): Promise<void> {
    if (!this.#isCountOld) return;
    this.#isCountOld = false;
    try {
      const [row] = await query(this.#sql<{ number: bigint }[]>`select number from key_count`);
      // Keys are never deleted: a smaller number is an older one.
      this.#count = Math.max(this.#count, Number(row?.number ?? 0));
    } catch (error) {
      this.#isCountOld = true;
      throw error;
    }
  }

  async *#records(walk: Walk): AsyncGenerator<KeyRecord> {
    for await (const { key } of eachKey(this.#sql, walk)) yield key.record;
  }
}
