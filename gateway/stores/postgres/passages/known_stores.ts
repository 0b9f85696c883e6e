import type { VectorStore } from "../../../ports/vector_stores.ts";
import type { Change, Topic } from "../changes/announce.ts";
import type { Watcher } from "../changes/changes.ts";
import { query, type Sql } from "../connection.ts";
import { textId } from "../text_id.ts";

/** The descriptions of all vector stores, as this instance knows them. */
export class KnownStores implements Watcher {
  readonly topics: readonly Topic[] = ["vector_store"];
  readonly #sql: Sql;
  readonly #stores = new Map<string, VectorStore>();
  /** Ids of stores that changed elsewhere. */
  readonly #old = new Set<string>();
  #isAllOld = true;

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

  async catchUp(): Promise<void> {
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

/** Compares by age, oldest first. */
export function byAge<T extends { readonly id: string; readonly createdAtMs: number }>(
  one: T,
  other: T,
): number {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}
