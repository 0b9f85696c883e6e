import { StoreError } from "../../../ports/store_error.ts";
import { VALUE_SWEEP_MS, VALUES_SWEPT } from "../limits.ts";
import { eachRow } from "../each_row.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { keyPart } from "../rows.ts";
import {
  decodeAliases,
  encodeAliases,
  inCommits,
  storedBytes,
  type ValueCopy,
  ValueRows,
} from "./value_rows.ts";
import type { Writer } from "../journal/writer.ts";

/** A value of any size that is stored until it expires. */
export interface ExpiringValue {
  readonly content: Uint8Array;
  /** Unix time in milliseconds, from which the value is gone. */
  readonly expiresAtMs: number;
  /** Short description of the content. */
  readonly about: string;
  /** Other names for the last part of its name; values may share them. */
  readonly aliases: readonly string[];
}

/** A value to store. */
export interface NewExpiringValue extends ExpiringValue {
  /** True when the name is certainly unused, so that no earlier value has to be looked up. */
  readonly isNew: boolean;
}

/** Options of a store of values. */
export interface ExpiringValuesOptions {
  /** Prefix of the keys of its rows. */
  readonly prefix: string;
  /** Maximum size of all values, in bytes. */
  readonly maxBytes: number;
  /**
   * True when the first part of a name is the value's owner. An owner may then use as many bytes as
   * are still free: a single owner at most half of the store, so that some bytes always remain for
   * others.
   * @default {false}
   */
  readonly hasOwners?: boolean | undefined;
  readonly nowMs: () => number;
}

const READ_AT_ONCE = 10;

/**
 * Values in Deno KV, in chunks. The row under `…_expiry` is written first and deleted last, so that
 * leftovers of a crash are found when they expire; the entry is written last and deleted first, so
 * that a value that can be found is complete. Rows are never overwritten: a value that replaces
 * another has its own rows, and its entry comes with the commit that removes the other's.
 */
export class ExpiringValues {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #rows: ValueRows;
  readonly #maxBytes: number;
  readonly #hasOwners: boolean;
  readonly #nowMs: () => number;
  /** Serialises deletions, so that each returns its bytes once. */
  readonly #deleting = new Mutex();
  /** Ids of values being written, which a sweep must not delete. */
  readonly #pending = new Set<string>();
  /** Partly written or deleted values, by id. */
  readonly #remnants = new Map<string, ValueCopy>();
  /** Replaced values, by id. */
  readonly #replaced = new Map<string, ValueCopy>();
  #bytes = 0;
  /** Bytes of each owner's values. */
  readonly #bytesOf = new Map<Deno.KvKeyPart | undefined, number>();
  #stampMs = 0;
  #sweptAtMs = -Infinity;
  #closed = false;

  private constructor(kv: Deno.Kv, writer: Writer, options: ExpiringValuesOptions) {
    this.#kv = kv;
    this.#writer = writer;
    this.#rows = new ValueRows(options.prefix);
    this.#maxBytes = options.maxBytes;
    this.#hasOwners = options.hasOwners ?? false;
    this.#nowMs = options.nowMs;
  }

  /** Opens the store and sums up the stored bytes. */
  static async open(
    kv: Deno.Kv,
    writer: Writer,
    options: ExpiringValuesOptions,
  ): Promise<ExpiringValues> {
    const values = new ExpiringValues(kv, writer, options);
    const all = kv.list<Uint8Array>({ prefix: values.#rows.expiries }, { batchSize: 500 });
    for await (const row of all) values.#take(values.#rows.copyOf(row));
    return values;
  }

  /**
   * Stores a value, which replaces one of the same name; resolves once it is durable. Of two
   * concurrent writes, the one that began last wins. Returns false, without any change, when it
   * does not fit.
   */
  async put(name: readonly string[], value: NewExpiringValue): Promise<boolean> {
    const { content, expiresAtMs, about, isNew } = value;
    const aliases = [...new Set(value.aliases)];
    const head = encodeAliases(aliases);
    const entry = {
      size: head.length + content.length,
      aliases: aliases.length,
      aliasBytes: head.length,
      expiresAtMs,
      about,
    };
    const copy: ValueCopy = { name: name.map(keyPart), id: this.#newId(), entry };
    if (!await this.#reserve(copy)) return false;
    this.#pending.add(copy.id);
    try {
      const former = isNew ? [] : await this.#copies(name);
      await this.#write(copy, { chunks: joined(head, content), aliases, former });
      return true;
    } catch (error) {
      // Parts of it may have landed: its bytes stay counted until a sweep has removed them.
      this.#remnants.set(copy.id, copy);
      throw error;
    } finally {
      this.#pending.delete(copy.id);
    }
  }

  /** Returns a stored value that has not expired. `admit` receives its size before it is read. */
  async get(
    name: readonly string[],
    admit?: (bytes: number) => Promise<void> | undefined,
  ): Promise<ExpiringValue | undefined> {
    const [copy] = await this.#copies(name, { limit: 1, reverse: true });
    if (copy === undefined || this.#isOver(copy)) return undefined;
    await admit?.(copy.entry.size);
    return await this.#valueOf(copy);
  }

  /** Returns the value last stored with another name, unless expired. */
  async withAlias(scope: readonly string[], alias: string): Promise<ExpiringValue | undefined> {
    const prefix = this.#rows.aliasesOf(scope.map(keyPart), alias);
    const rows = this.#kv.list<Uint8Array>({ prefix }, { reverse: true, batchSize: READ_AT_ONCE });
    for (let row = await read(rows.next()); !row.done; row = await read(rows.next())) {
      const entry = await read(
        this.#kv.get<Uint8Array>(this.#rows.entryKey(this.#rows.aliased(row.value))),
      );
      if (entry.value === null) continue;
      const value = await this.#valueOf(this.#rows.copyOf(entry));
      if (value !== undefined) return value;
    }
    return undefined;
  }

  /** Yields all values that have not expired, with their names, in the order of their expiry. */
  async *all(): AsyncGenerator<ExpiringValue & { readonly name: readonly Deno.KvKeyPart[] }> {
    for await (const row of eachRow<Uint8Array>(this.#kv, { prefix: this.#rows.expiries })) {
      const { name, id } = this.#rows.expiring(row.key);
      const entry = await read(this.#kv.get<Uint8Array>(this.#rows.entryKey({ name, id })));
      if (entry.value === null) continue;
      const value = await this.#valueOf(this.#rows.copyOf(entry));
      if (value !== undefined) yield { ...value, name };
    }
  }

  /** Deletes a value; returns false when there is none that has not expired. */
  delete(name: readonly string[]): Promise<boolean> {
    return this.#deleting.run(async () => {
      const copies = await this.#copies(name);
      const newest = copies.at(-1);
      if (newest === undefined || this.#isOver(newest)) return false;
      await this.#writer.write(copies.map((copy) => this.#rows.entryGone(copy)));
      // The value is gone; leftovers do no harm until the next sweep.
      await this.#clear(copies).catch(ignoreStoreError);
      return true;
    });
  }

  /** Deletes expired values; resolves to their number. */
  async sweep(): Promise<number> {
    this.#sweptAtMs = this.#nowMs();
    let swept = 0;
    while (!this.#closed) {
      const { cleared, expired } = await this.#sweepSome();
      swept += expired;
      if (cleared === 0) break;
    }
    return swept;
  }

  /** Starts a sweep from time to time. */
  tick(): void {
    if (this.#nowMs() - this.#sweptAtMs < VALUE_SWEEP_MS) return;
    // Expired values stay until the next sweep, unreadable.
    this.sweep().catch(ignoreStoreError);
  }

  /** Resolves when no deletion is in progress. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#deleting.run(() => Promise.resolve());
  }

  /** Reserves bytes, after removing expired values if needed. */
  async #reserve(copy: ValueCopy): Promise<boolean> {
    if (storedBytes(copy.entry) > this.#maxBytes) return false;
    while (!this.#fits(copy)) {
      const { cleared } = await this.#sweepSome();
      if (cleared === 0 && !this.#fits(copy)) return false;
    }
    // Counted before the write, so that concurrent writers do not all find room.
    this.#take(copy);
    return true;
  }

  #fits({ name, entry }: ValueCopy): boolean {
    const bytes = storedBytes(entry);
    const free = this.#maxBytes - this.#bytes - bytes;
    return free >= (this.#hasOwners ? (this.#bytesOf.get(name[0]) ?? 0) + bytes : 0);
  }

  #take({ name, entry }: ValueCopy): void {
    this.#bytes += storedBytes(entry);
    if (!this.#hasOwners) return;
    this.#bytesOf.set(name[0], (this.#bytesOf.get(name[0]) ?? 0) + storedBytes(entry));
  }

  #giveBack({ name, entry }: ValueCopy): void {
    this.#bytes -= storedBytes(entry);
    if (!this.#hasOwners) return;
    const remaining = (this.#bytesOf.get(name[0]) ?? 0) - storedBytes(entry);
    if (remaining > 0) this.#bytesOf.set(name[0], remaining);
    else this.#bytesOf.delete(name[0]);
  }

  /** Writes the rows in as few commits as their size allows: one, for most values. */
  async #write(
    copy: ValueCopy,
    parts: { chunks: Uint8Array; aliases: readonly string[]; former: readonly ValueCopy[] },
  ): Promise<void> {
    const { former } = parts;
    const last = [this.#rows.entry(copy), ...former.map((copy) => this.#rows.entryGone(copy))];
    for (const rows of inCommits(this.#rows.before(copy, parts), last)) {
      await this.#writer.write(rows);
    }
    for (const copy of former) this.#replaced.set(copy.id, copy);
  }

  async #valueOf(copy: ValueCopy): Promise<ExpiringValue | undefined> {
    const { entry } = copy;
    if (this.#isOver(copy)) return undefined;
    const chunks = await this.#readChunks(copy, entry.size);
    // Deleted while it was read.
    if (chunks === undefined) return undefined;
    const { expiresAtMs, about, aliasBytes } = entry;
    const aliases = decodeAliases(chunks, entry);
    return { content: chunks.subarray(aliasBytes), expiresAtMs, about, aliases };
  }

  /** Reads the chunks with the first bytes; `undefined` when one is missing. */
  async #readChunks(copy: ValueCopy, bytes: number): Promise<Uint8Array | undefined> {
    const content = new Uint8Array(bytes);
    const keys = this.#rows.chunkKeys(copy, bytes);
    let at = 0;
    for (let from = 0; from < keys.length; from += READ_AT_ONCE) {
      const some = keys.slice(from, from + READ_AT_ONCE);
      for (const { value } of await read(this.#kv.getMany<Uint8Array[]>(some))) {
        if (value === null) return undefined;
        content.set(value.subarray(0, bytes - at), at);
        at += value.length;
      }
    }
    return content;
  }

  /** Removes some expired values and leftovers. */
  #sweepSome(): Promise<{ cleared: number; expired: number }> {
    return this.#deleting.run(async () => {
      const expired = (await this.#expired()).filter(({ id }) => !this.#pending.has(id));
      const leftOver = [...this.#remnants.values()].slice(0, VALUES_SWEPT);
      const copies = [...expired, ...leftOver, ...await this.#takeReplaced()];
      const cleared = new Map(copies.map((copy) => [copy.id, copy]));
      await this.#clear([...cleared.values()]);
      return { cleared: cleared.size, expired: expired.length };
    });
  }

  async #expired(): Promise<ValueCopy[]> {
    const start = this.#rows.expiries;
    const until = { start, end: [...start, this.#nowMs() + 1] };
    const rows = this.#kv.list<Uint8Array>(until, { limit: VALUES_SWEPT });
    return (await read(Array.fromAsync(rows))).map((row) => this.#rows.copyOf(row));
  }

  /** Takes some replaced values; a deletion may have been faster. */
  async #takeReplaced(): Promise<ValueCopy[]> {
    const replaced = [...this.#replaced.values()].slice(0, VALUES_SWEPT);
    const rows = await Promise.all(
      replaced.map((copy) => read(this.#kv.get(this.#rows.expiryKey(copy)))),
    );
    for (const { id } of replaced) this.#replaced.delete(id);
    return replaced.filter((_, at) => rows[at]?.value !== null);
  }

  /** Deletes all rows of copies; copies whose deletion fails become leftovers. */
  async #clear(copies: readonly ValueCopy[]): Promise<void> {
    for (const copy of copies) this.#remnants.set(copy.id, copy);
    const results = await Promise.allSettled(copies.map((copy) => this.#clearOne(copy)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  async #clearOne(copy: ValueCopy): Promise<void> {
    const head = await this.#readChunks(copy, copy.entry.aliasBytes);
    // Without its first chunks a copy has no other names, or has lost them.
    const aliases = head === undefined ? [] : decodeAliases(head, copy.entry);
    for (const rows of inCommits(this.#rows.gone(copy, aliases))) await this.#writer.write(rows);
    this.#remnants.delete(copy.id);
    this.#giveBack(copy);
  }

  async #copies(name: readonly string[], options: Deno.KvListOptions = {}): Promise<ValueCopy[]> {
    const rows = this.#kv.list<Uint8Array>({ prefix: this.#rows.entriesOf(name) }, options);
    return (await read(Array.fromAsync(rows))).map((row) => this.#rows.copyOf(row));
  }

  #isOver(copy: ValueCopy): boolean {
    return copy.entry.expiresAtMs <= this.#nowMs();
  }

  /** Returns a new id; later ones are greater, even after the clock goes back. */
  #newId(): string {
    this.#stampMs = Math.max(this.#nowMs(), this.#stampMs + 1);
    return `${String(this.#stampMs).padStart(15, "0")}.${crypto.randomUUID()}`;
  }
}

function joined(head: Uint8Array, content: Uint8Array): Uint8Array {
  if (head.length === 0) return content;
  const all = new Uint8Array(head.length + content.length);
  all.set(head);
  all.set(content, head.length);
  return all;
}

function ignoreStoreError(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
}
