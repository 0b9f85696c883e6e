import { invariant, InvariantError } from "../../../domain/invariant.ts";
import { BoundedMap } from "../../../system/bounded_map.ts";

/** A row in use. */
interface Pinned<Row> {
  /** Number of users. It stays in memory until the last one is done. */
  pins: number;
  /** False while it is being read. */
  isRead: boolean;
  row: Row | undefined;
  reading?: Promise<void> | undefined;
}

/**
 * Rows of one kind in memory: all that are in use, and of the others those used last. A row is read
 * with its first use, so that neither the time of a start nor memory depends on rows that no
 * caller uses.
 */
export class LoadedRows<Row> {
  readonly #what: string;
  readonly #read: (id: string) => Promise<Row | undefined>;
  readonly #pinned = new Map<string, Pinned<Row>>();
  readonly #idle: BoundedMap<string, Row>;
  readonly #followers = new Set<Map<string, Row | undefined>>();

  /** `idleMax` rows that are not in use stay in memory. */
  constructor(
    what: string,
    { read, idleMax }: {
      readonly read: (id: string) => Promise<Row | undefined>;
      readonly idleMax: number;
    },
  ) {
    this.#what = what;
    this.#read = read;
    this.#idle = new BoundedMap(idleMax);
  }

  /**
   * Keeps a row in memory until {@linkcode LoadedRows.unpin}, also one that does not exist. Returns
   * `undefined` if it is in memory already, else a promise; if that rejects, the row is not kept.
   */
  pin(id: string): Promise<void> | undefined {
    const pinned = this.#pinned.get(id);
    if (pinned !== undefined) {
      pinned.pins++;
      return pinned.isRead ? undefined : pinned.reading;
    }
    const row = this.#idle.get(id);
    const added: Pinned<Row> = { pins: 1, isRead: row !== undefined, row };
    this.#pinned.set(id, added);
    if (added.isRead) return undefined;
    return added.reading = this.#load(id, added);
  }

  /** Keeps a row that is in memory there until {@linkcode LoadedRows.unpin}. */
  keep(id: string): void {
    if (this.pin(id) === undefined) return;
    throw new InvariantError(`${this.#what} "${id}" is not in memory when it is kept`);
  }

  /** Ends a use. */
  unpin(id: string): void {
    const pinned = this.#pinned.get(id);
    if (pinned === undefined || --pinned.pins > 0) return;
    this.#pinned.delete(id);
    if (pinned.row !== undefined) this.#idle.set(id, pinned.row);
  }

  /** Returns a row in use; `undefined` if it does not exist. */
  inUse(id: string): Row | undefined {
    const pinned = this.#pinned.get(id);
    if (pinned?.isRead) return pinned.row;
    const row = this.#idle.get(id);
    invariant(row !== undefined, `${this.#what} "${id}" is in memory when it is decided on`);
    return row;
  }

  /** Returns a row if it is in memory. */
  known(id: string): Row | undefined {
    const pinned = this.#pinned.get(id);
    return pinned?.isRead ? pinned.row : this.#idle.get(id);
  }

  /** Yields the rows in memory with their ids; each comes once. */
  *inMemory(): Generator<readonly [id: string, row: Row]> {
    for (const [id, { row, isRead }] of this.#pinned) {
      if (isRead && row !== undefined) yield [id, row];
    }
    for (const entry of this.#idle.entries()) if (!this.#pinned.has(entry[0])) yield entry;
  }

  /** Returns a row, from memory or from the store. */
  async get(id: string): Promise<Row | undefined> {
    const known = this.known(id);
    if (known !== undefined) return known;
    const reading = this.pin(id);
    if (reading !== undefined) await reading;
    const row = this.known(id);
    this.unpin(id);
    return row;
  }

  /** Replaces a row by what a commit has made durable. */
  set(id: string, row: Row): void {
    const pinned = this.#pinned.get(id);
    if (pinned?.isRead !== true && this.#idle.get(id) === undefined) this.#tell(id, undefined);
    if (pinned === undefined) return this.#idle.set(id, row);
    pinned.row = row;
    // A read in progress may return an older row.
    pinned.isRead = true;
  }

  /**
   * Returns the rows in memory, and adds those that are read from now on until {@linkcode
   * LoadedRows.unfollow}, as they are read first. A row changes in memory only, so each row of this
   * moment is among them or unchanged in the store. `undefined` stands for a row that did not exist.
   */
  follow(): Map<string, Row | undefined> {
    const rows = new Map<string, Row | undefined>(this.#idle.entries());
    for (const [id, { row, isRead }] of this.#pinned) if (isRead) rows.set(id, row);
    this.#followers.add(rows);
    return rows;
  }

  /** Ends a call of {@linkcode LoadedRows.follow}. */
  unfollow(rows: Map<string, Row | undefined>): void {
    this.#followers.delete(rows);
  }

  async #load(id: string, pinned: Pinned<Row>): Promise<void> {
    try {
      const row = await this.#read(id);
      if (pinned.isRead) return;
      pinned.row = row;
      pinned.isRead = true;
      this.#tell(id, row);
    } catch (error) {
      if (pinned.isRead) return;
      // Its waiting users give up as well, and the next one reads it again.
      if (this.#pinned.get(id) === pinned) this.#pinned.delete(id);
      throw error;
    } finally {
      pinned.reading = undefined;
    }
  }

  #tell(id: string, row: Row | undefined): void {
    for (const rows of this.#followers) if (!rows.has(id)) rows.set(id, row);
  }
}
