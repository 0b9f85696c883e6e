import { StoreError } from "../../../ports/store_error.ts";
import { VALUE_SWEEP_MS, VALUES_SWEPT } from "../limits.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { keyPart } from "../rows.ts";
import {
  decodeAliases,
  encodeAliases,
  inCommits,
  roomOf,
  type ValueCopy,
  ValueRows,
} from "./value_rows.ts";
import type { Writer } from "../journal/writer.ts";

/** A value of any size that is kept until it expires. */
export interface ExpiringValue {
  readonly content: Uint8Array;
  /** Unix time in milliseconds; from then on it is gone. */
  readonly expiresAtMs: number;
  /** Says what the content is, in a few words. */
  readonly about: string;
  /** Other names for the last part of its own; not only its own, perhaps. */
  readonly aliases: readonly string[];
}

/** A value to be kept. */
export interface NewExpiringValue extends ExpiringValue {
  /** Whether the name is known to be nobody's yet, so that no other has to be looked for. */
  readonly isNew: boolean;
}

/** A room for values in a database. */
export interface ExpiringValuesOptions {
  /** Begins the keys of its rows. */
  readonly prefix: string;
  /** Bytes of all values together. */
  readonly maxBytes: number;
  /**
   * Whether the first part of a name is the value's owner. Each owner may then keep as much as is
   * still free: alone half of the room, and however much others took, a newcomer finds some.
   * @default {false}
   */
  readonly hasOwners?: boolean | undefined;
  readonly nowMs: () => number;
}

const READ_AT_ONCE = 10;

/**
 * Values in Deno KV, in chunks. The row under `…_expiry` is written first and deleted last, so that
 * whatever a crash leaves behind is found when it expires; the entry is written last and deleted
 * first, so that a value that can be found is whole. Rows are never written over: a value that
 * replaces another has rows of its own, and its entry comes with the commit that the other's goes in.
 */
export class ExpiringValues {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #rows: ValueRows;
  readonly #maxBytes: number;
  readonly #hasOwners: boolean;
  readonly #nowMs: () => number;
  /** Deletions come one after the other, so that each gives its room back once. */
  readonly #deleting = new Mutex();
  /** Ids of those being written: a sweep must not take the ground from under them. */
  readonly #pending = new Set<string>();
  /** Written or deleted in part only, by id. */
  readonly #remnants = new Map<string, ValueCopy>();
  /** Others stand in their place, by id. */
  readonly #replaced = new Map<string, ValueCopy>();
  #bytes = 0;
  /** Of the values of each owner. */
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

  /** Opens the room: adds up what is there. */
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
   * Keeps a value, in the place of one that had its name; resolves once it is durable. Of two at
   * once the one that began last stays. False, and nothing has changed, where there is no room.
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
      // Some of it may have landed: it takes its room until a sweep has seen to it.
      this.#remnants.set(copy.id, copy);
      throw error;
    } finally {
      this.#pending.delete(copy.id);
    }
  }

  /** A value that is there and has not expired. `admit` is told its bytes before it is read. */
  async get(
    name: readonly string[],
    admit?: (bytes: number) => Promise<void> | undefined,
  ): Promise<ExpiringValue | undefined> {
    const [copy] = await this.#copies(name, { limit: 1, reverse: true });
    if (copy === undefined || this.#isOver(copy)) return undefined;
    await admit?.(copy.entry.size);
    return await this.#valueOf(copy);
  }

  /** The last put of the values that have another name and have not expired. */
  async withAlias(scope: readonly string[], alias: string): Promise<ExpiringValue | undefined> {
    const prefix = this.#rows.aliasesOf(scope.map(keyPart), alias);
    const rows = this.#kv.list<Uint8Array>({ prefix }, { reverse: true, batchSize: READ_AT_ONCE });
    for (let row = await read(rows.next()); !row.done; row = await read(rows.next())) {
      const entry = await read(
        this.#kv.get<Uint8Array>(this.#rows.entryKey(this.#rows.aliased(row.value))),
      );
      if (entry.value === null) continue;
      const found = await this.#valueOf(this.#rows.copyOf(entry));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Forgets a value; false where there is none that has not expired. */
  delete(name: readonly string[]): Promise<boolean> {
    return this.#deleting.run(async () => {
      const copies = await this.#copies(name);
      const newest = copies.at(-1);
      if (newest === undefined || this.#isOver(newest)) return false;
      await this.#writer.write(copies.map((copy) => this.#rows.entryGone(copy)));
      // It is gone; what cannot be cleared away now is in nobody's way until the next sweep.
      await this.#clear(copies).catch(ignoreStoreError);
      return true;
    });
  }

  /** Deletes values that have expired; resolves to their number. */
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

  /** Starts a sweep, now and then. */
  tick(): void {
    if (this.#nowMs() - this.#sweptAtMs < VALUE_SWEEP_MS) return;
    // What has expired stays until the next look; nobody can read it.
    this.sweep().catch(ignoreStoreError);
  }

  /** Resolves when no deletion is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#deleting.run(() => Promise.resolve());
  }

  /** Takes room; that of expired values where there is no other. */
  async #reserve(copy: ValueCopy): Promise<boolean> {
    if (roomOf(copy.entry) > this.#maxBytes) return false;
    while (!this.#fits(copy)) {
      const { cleared } = await this.#sweepSome();
      if (cleared === 0 && !this.#fits(copy)) return false;
    }
    // Counted before it is written, so that those who write at once do not all find room.
    this.#take(copy);
    return true;
  }

  #fits({ name, entry }: ValueCopy): boolean {
    const bytes = roomOf(entry);
    const free = this.#maxBytes - this.#bytes - bytes;
    return free >= (this.#hasOwners ? (this.#bytesOf.get(name[0]) ?? 0) + bytes : 0);
  }

  #take({ name, entry }: ValueCopy): void {
    this.#bytes += roomOf(entry);
    if (!this.#hasOwners) return;
    this.#bytesOf.set(name[0], (this.#bytesOf.get(name[0]) ?? 0) + roomOf(entry));
  }

  #giveBack({ name, entry }: ValueCopy): void {
    this.#bytes -= roomOf(entry);
    if (!this.#hasOwners) return;
    const left = (this.#bytesOf.get(name[0]) ?? 0) - roomOf(entry);
    if (left > 0) this.#bytesOf.set(name[0], left);
    else this.#bytesOf.delete(name[0]);
  }

  /** As few commits as the size takes: one, for most values. */
  async #write(
    copy: ValueCopy,
    parts: { chunks: Uint8Array; aliases: readonly string[]; former: readonly ValueCopy[] },
  ): Promise<void> {
    const { former } = parts;
    const last = [this.#rows.entry(copy), ...former.map((one) => this.#rows.entryGone(one))];
    for (const rows of inCommits(this.#rows.before(copy, parts), last)) {
      await this.#writer.write(rows);
    }
    for (const one of former) this.#replaced.set(one.id, one);
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

  /** The chunks with the first bytes; `undefined` where one of them is not there. */
  async #readChunks(copy: ValueCopy, bytes: number): Promise<Uint8Array | undefined> {
    const found = new Uint8Array(bytes);
    const keys = this.#rows.chunkKeys(copy, bytes);
    let at = 0;
    for (let from = 0; from < keys.length; from += READ_AT_ONCE) {
      const some = keys.slice(from, from + READ_AT_ONCE);
      for (const { value } of await read(this.#kv.getMany<Uint8Array[]>(some))) {
        if (value === null) return undefined;
        found.set(value.subarray(0, bytes - at), at);
        at += value.length;
      }
    }
    return found;
  }

  /** Clears away some of what has expired, and of what is left over. */
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
    const found = this.#kv.list<Uint8Array>(until, { limit: VALUES_SWEPT });
    return (await read(Array.fromAsync(found))).map((row) => this.#rows.copyOf(row));
  }

  /** Some of those that others stand in the place of; a deletion may have been faster. */
  async #takeReplaced(): Promise<ValueCopy[]> {
    const taken = [...this.#replaced.values()].slice(0, VALUES_SWEPT);
    const rows = await Promise.all(
      taken.map((copy) => read(this.#kv.get(this.#rows.expiryKey(copy)))),
    );
    for (const { id } of taken) this.#replaced.delete(id);
    return taken.filter((_, at) => rows[at]?.value !== null);
  }

  /** Deletes all rows of copies; those where that fails are remnants. */
  async #clear(copies: readonly ValueCopy[]): Promise<void> {
    for (const copy of copies) this.#remnants.set(copy.id, copy);
    const results = await Promise.allSettled(copies.map((copy) => this.#clearOne(copy)));
    for (const result of results) if (result.status === "rejected") throw result.reason;
  }

  async #clearOne(copy: ValueCopy): Promise<void> {
    const head = await this.#readChunks(copy, copy.entry.aliasBytes);
    // Without its first chunks a copy has no other names, or none any more.
    const aliases = head === undefined ? [] : decodeAliases(head, copy.entry);
    for (const rows of inCommits(this.#rows.gone(copy, aliases))) await this.#writer.write(rows);
    this.#remnants.delete(copy.id);
    this.#giveBack(copy);
  }

  async #copies(name: readonly string[], options: Deno.KvListOptions = {}): Promise<ValueCopy[]> {
    const found = this.#kv.list<Uint8Array>({ prefix: this.#rows.entriesOf(name) }, options);
    return (await read(Array.fromAsync(found))).map((row) => this.#rows.copyOf(row));
  }

  #isOver(copy: ValueCopy): boolean {
    return copy.entry.expiresAtMs <= this.#nowMs();
  }

  /** Never given before; later ones are greater, also where the clock goes back. */
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
