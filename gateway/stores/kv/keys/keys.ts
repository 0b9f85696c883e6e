import type { KeyRecord } from "../../../domain/policy/key.ts";
import type { Noted, TrailDraft } from "../../../domain/operators/trail.ts";
import type { KeyPage, KeyQuery, KeyStore, StoredKey } from "../../../ports/key_store.ts";
import type { AtOnce } from "../../../ports/at_once.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { KEYS_READ_AT_ONCE, MAX_CACHED_KEYS, MAX_VALUE_BYTES } from "../limits.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { BoundedMap } from "../../../system/bounded_map.ts";
import { eachRow } from "../each_row.ts";
import { jsonRow, keyPart, type Row, textOf } from "../rows.ts";
import type { Writer } from "../journal/writer.ts";
import { readKeyPage } from "./key_page.ts";
import {
  copyPlaces,
  decodeKey,
  idsOfPepper,
  idsUnder,
  linkKey,
  linkRows,
  LINKS,
  movedPlaces,
  placeRows,
  unlinkRows,
  walletPlaces,
} from "./key_rows.ts";

/** API keys in Deno KV; the ones in use are cached in memory. */
export class KvKeyStore implements KeyStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #byDigest = new BoundedMap<string, StoredKey>(MAX_CACHED_KEYS);
  readonly #digests = new BoundedMap<string, string>(MAX_CACHED_KEYS);
  readonly #writing = new Mutex();
  // Counts writes: a value read before a write must not enter the cache after it.
  #writes = 0;

  #created = 0;

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  get created(): number {
    return this.#created;
  }

  remembered(digest: string): KeyRecord | undefined {
    return this.#byDigest.get(digest)?.record;
  }

  async findByDigest(...digests: string[]): Promise<KeyRecord | undefined> {
    const rows = await read(
      this.#kv.getMany<Uint8Array[]>(digests.map((digest) => linkKey(LINKS.active, digest))),
    );
    const at = rows.findIndex((row) => row.value !== null);
    const value = rows[at]?.value;
    if (!value) return undefined;
    const cached = this.#byDigest.get(digests[at] ?? "");
    const key = cached ?? await this.#load(JSON.parse(textOf(value)) as string);
    return key !== undefined && digests.includes(key.digest) ? key.record : undefined;
  }

  get(id: string): AtOnce<KeyRecord | undefined> {
    const digest = this.#digests.get(id);
    const cached = digest === undefined ? undefined : this.#byDigest.get(digest);
    return cached?.record ?? this.#load(id).then((key) => key?.record);
  }

  getStored(id: string): Promise<StoredKey | undefined> {
    return this.#peek(id);
  }

  async hasDigest(...digests: string[]): Promise<boolean> {
    const rows = digests.flatMap((digest) =>
      [LINKS.active, LINKS.closed].map((prefix) => [
        prefix,
        keyPart(digest),
      ])
    );
    return (await read(this.#kv.getMany(rows))).some(({ value }) => value !== null);
  }

  page(query: KeyQuery): Promise<KeyPage> {
    return readKeyPage(this.#kv, query, (id) => this.#peek(id));
  }

  count(): number {
    return this.#writer.books.counts.keys;
  }

  async *all(): AsyncGenerator<StoredKey> {
    const rows = eachRow<Uint8Array>(this.#kv, { prefix: ["key"] });
    for await (const { value } of rows) yield decodeKey(value);
  }

  ofWallet(walletId: string): AsyncGenerator<KeyRecord> {
    return this.#each(idsUnder(this.#kv, walletPlaces(walletId)));
  }

  copiesOf(id: string): AsyncGenerator<KeyRecord> {
    return this.#each(idsUnder(this.#kv, copyPlaces(id)));
  }

  underPepper(version: number): AsyncGenerator<KeyRecord> {
    return this.#each(idsOfPepper(this.#kv, version));
  }

  create(key: StoredKey, { entry }: Noted<KeyRecord> = {}): Promise<boolean> {
    return this.#writing.run(async () => {
      const [id, digest] = await read(
        this.#kv.getMany([["key", keyPart(key.record.id)], linkKey(LINKS.active, key.digest)]),
      );
      if (id.versionstamp !== null || digest.versionstamp !== null) return false;
      try {
        const draft = entry?.({ after: key.record });
        const rows = [...linkRows(key), ...placeRows(key.record)];
        await this.#write(key, { rows, isNew: true, draft });
      } finally {
        this.#created++;
      }
      return true;
    });
  }

  update(
    id: string,
    change: (record: KeyRecord) => KeyRecord,
    { entry }: Noted<KeyRecord> = {},
  ): Promise<KeyRecord | undefined> {
    return this.#writing.run(async () => {
      const key = await this.#find(id);
      if (key === undefined) return undefined;
      const record = change(key.record);
      if (record === key.record) return record;
      const changed = { ...key, record };
      const links = record.status === key.record.status ? [] : linkRows(changed);
      const draft = entry?.({ before: key.record, after: record });
      await this.#write(changed, { rows: [...links, ...movedPlaces(key.record, record)], draft });
      return record;
    });
  }

  /**
   * Gives a key that is of one wallet to another. `commit` writes the rows in the commit of its own
   * change; where it refuses, the key stays. Returns `undefined` if the key is of another wallet.
   */
  toWallet<T extends { readonly ok: boolean }>(
    id: string,
    { from, to }: { readonly from: string; readonly to: string },
    commit: (rows: readonly Row[]) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#writing.run(async () => {
      const key = await this.#find(id);
      if (key?.record.walletId !== from) return undefined;
      if (from === to) return await commit([]);
      const moved = { ...key, record: { ...key.record, walletId: to } };
      const rows = [
        jsonRow(["key", keyPart(id)], moved),
        ...movedPlaces(key.record, moved.record),
      ];
      this.#writes++;
      try {
        return await commit(rows);
      } finally {
        this.#writes++;
        // The next lookup reads it, as it is then.
        this.#forget(key);
      }
    });
  }

  move(id: string, { from, to }: { from: string; to: string }): Promise<boolean> {
    return this.#writing.run(async () => {
      const key = await this.#find(id);
      if (key?.digest !== from) return false;
      const moved = { ...key, digest: to };
      try {
        await this.#write(moved, { rows: [...unlinkRows(key), ...linkRows(moved)] });
      } finally {
        // A cache entry under the old digest would miss later changes: a revoked key would still
        // authenticate.
        this.#byDigest.delete(from);
      }
      return true;
    });
  }

  #find(id: string): Promise<StoredKey | undefined> {
    const digest = this.#digests.get(id);
    const cached = digest === undefined ? undefined : this.#byDigest.get(digest);
    return cached === undefined ? this.#load(id) : Promise.resolve(cached);
  }

  async #load(id: string): Promise<StoredKey | undefined> {
    const writes = this.#writes;
    const key = await this.#peek(id);
    if (key !== undefined && writes === this.#writes) this.#cache(key);
    return key;
  }

  /** Reads a key for a list: it does not enter the cache. */
  async #peek(id: string): Promise<StoredKey | undefined> {
    const { value } = await read(this.#kv.get<Uint8Array>(["key", keyPart(id)]));
    return value === null ? undefined : decodeKey(value);
  }

  async *#each(ids: AsyncIterable<string>): AsyncGenerator<KeyRecord> {
    let some: string[] = [];
    for await (const id of ids) {
      if (some.push(id) < KEYS_READ_AT_ONCE) continue;
      yield* await this.#records(some);
      some = [];
    }
    yield* await this.#records(some);
  }

  async #records(ids: readonly string[]): Promise<KeyRecord[]> {
    const keys = await Promise.all(ids.map((id) => this.#peek(id)));
    return keys.flatMap((key) => key === undefined ? [] : [key.record]);
  }

  async #write(
    key: StoredKey,
    { rows, isNew = false, draft }: {
      readonly rows: readonly Row[];
      readonly isNew?: boolean;
      readonly draft?: TrailDraft | undefined;
    },
  ): Promise<void> {
    const row = jsonRow(["key", keyPart(key.record.id)], key);
    if (row.bytes > MAX_VALUE_BYTES) {
      throw new StoreError(
        `Cannot write key "${key.record.id}": it is ${row.bytes} bytes, at most ${MAX_VALUE_BYTES}`,
      );
    }
    this.#writes++;
    try {
      await this.#writer.submit((stage) => {
        for (const each of [row, ...rows]) stage.write(each);
        if (isNew) stage.countUp("keys");
        if (draft !== undefined) stage.note(draft);
      });
    } catch (error) {
      // The write may have landed: the next lookup reads it.
      this.#forget(key);
      throw error;
    } finally {
      this.#writes++;
    }
    this.#cache(key);
  }

  #cache(key: StoredKey): void {
    this.#byDigest.set(key.digest, key);
    this.#digests.set(key.record.id, key.digest);
  }

  #forget(key: StoredKey): void {
    this.#byDigest.delete(key.digest);
    this.#digests.delete(key.record.id);
  }
}
