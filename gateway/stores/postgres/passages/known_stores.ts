import type { VectorStore } from "../../../ports/vector_stores.ts";
import type { Change, Topic } from "../changes/announce.ts";
import type { Watcher } from "../changes/changes.ts";
import { Mutex } from "../../kv/mutex.ts";
import { query, type Sql, type Transaction } from "../connection.ts";
import { textId } from "../text_id.ts";

/** The descriptions of all vector stores, as this instance knows them. */
export class KnownStores implements Watcher {
  readonly topics: readonly Topic[] = ["vector_store"];
  readonly #sql: Sql;
  readonly #stores = new Map<string, VectorStore>();
  /** Ids of stores that changed elsewhere. */
  readonly #old = new Set<string>();
  #isAllOld = true;
  /** One read at a time: an earlier one must not undo what a later one knows. */
  readonly #reading = new Mutex();
  /** Ids that the next look-up asks for. */
  readonly #wanted = new Set<string>();
  /** The look-up that has not begun. */
  #next: Promise<void> | undefined;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Returns all stores, oldest first. */
  all(): readonly VectorStore[] {
    return [...this.#stores.values()].sort(byAge);
  }

  get(id: string): VectorStore | undefined {
    return this.#stores.get(textId(id));
  }

  /**
   * Returns a store; one that is unknown here may have been made elsewhere a moment ago. Look-ups that
   * come while one runs are one question together, so that unknown ids, however many are asked for at
   * once, keep one connection busy with one read by the primary key.
   */
  async find(id: string): Promise<VectorStore | undefined> {
    const known = this.get(id);
    if (known !== undefined) return known;
    this.#wanted.add(textId(id));
    await (this.#next ??= this.#reading.run(() => this.#lookUp()));
    return this.get(id);
  }

  /** Returns the stores of an owner as the database has them, oldest first. */
  ofOwner(ownerId: string): Promise<readonly VectorStore[]> {
    return this.#reading.run(async () => {
      const stores = await query(readStoresOf(this.#sql, ownerId));
      for (const store of stores) this.set(store);
      return stores.sort(byAge);
    });
  }

  /** Notes a description, unless a later one is known. Revisions only grow, and ids are not used again. */
  set(store: VectorStore): void {
    const id = textId(store.id);
    if (store.revision >= (this.#stores.get(id)?.revision ?? 0)) this.#stores.set(id, store);
  }

  remove(id: string): void {
    this.#stores.delete(textId(id));
  }

  changed({ subject }: Change): void {
    this.#old.add(subject);
  }

  reset(): void {
    this.#isAllOld = true;
  }

  catchUp(): Promise<void> {
    return this.#reading.run(() => this.#catchUp());
  }

  async #lookUp(): Promise<void> {
    const ids = [...this.#wanted];
    this.#wanted.clear();
    this.#next = undefined;
    const rows = await query(this.#sql<{ data: string }[]>`
      select data from vector_store where id = any(${ids})
    `);
    for (const { data } of rows) this.set(JSON.parse(data));
  }

  async #catchUp(): Promise<void> {
    if (!this.#isAllOld && this.#old.size === 0) return;
    // A store of this instance that is created during the read may be absent from it, and stays.
    const ids = this.#isAllOld ? [...this.#stores.keys(), ...this.#old] : [...this.#old];
    const all = this.#isAllOld;
    this.#isAllOld = false;
    this.#old.clear();
    try {
      const rows = await query(this.#sql<{ id: string; data: string }[]>`
        select id, data from vector_store where ${all} or id = any(${ids})
      `);
      const present = new Set(rows.map(({ id }) => id));
      for (const { data } of rows) this.set(JSON.parse(data));
      for (const id of ids) if (!present.has(id)) this.#stores.delete(id);
    } catch (error) {
      if (all) this.#isAllOld = true;
      for (const id of ids) this.#old.add(id);
      throw error;
    }
  }
}

/** Reads the stores of an owner. */
export async function readStoresOf(sql: Sql | Transaction, owner: string): Promise<VectorStore[]> {
  // The member is in the text as it was written; a caller's pairs with the same text are left out.
  const member = `"ownerId":${JSON.stringify(owner)}`;
  const rows = await sql<{ data: string }[]>`
    select data from vector_store where position(${member} in data) > 0
  `;
  return rows.map(({ data }): VectorStore => JSON.parse(data))
    .filter(({ ownerId }) => ownerId === owner);
}

/** Compares by age, oldest first. */
export function byAge<T extends { readonly id: string; readonly createdAtMs: number }>(
  one: T,
  other: T,
): number {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}
