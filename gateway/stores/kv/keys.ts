import type { KeyRecord } from "../../domain/policy/key.ts";
import type { KeyStore, StoredKey } from "../../ports/key_store.ts";
import { StoreError } from "../../ports/store_error.ts";
import { MAX_CACHED_KEYS, MAX_VALUE_BYTES } from "./limits.ts";
import { Mutex } from "./mutex.ts";
import { read } from "./read.ts";
import { BoundedMap } from "../../system/bounded_map.ts";
import { jsonRow, keyPart, type Row, textOf } from "./rows.ts";
import type { Writer } from "./journal/writer.ts";

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
    const rows = await read(this.#kv.getMany<Uint8Array[]>(digests.map(linkKey)));
    const at = rows.findIndex((row) => row.value !== null);
    const value = rows[at]?.value;
    if (!value) return undefined;
    const cached = this.#byDigest.get(digests[at] ?? "");
    const key = cached ?? await this.#load(JSON.parse(textOf(value)) as string);
    return key !== undefined && digests.includes(key.digest) ? key.record : undefined;
  }

  async get(id: string): Promise<KeyRecord | undefined> {
    return (await this.#find(id))?.record;
  }

  async list(): Promise<readonly KeyRecord[]> {
    return (await this.listStored()).map(({ record }) => record);
  }

  async listStored(): Promise<readonly StoredKey[]> {
    const rows = this.#kv.list<Uint8Array>({ prefix: ["key"] });
    const keys = (await read(Array.fromAsync(rows))).map(({ value }) => decodeKey(value));
    return keys.sort(({ record: a }, { record: b }) =>
      b.createdAtMs - a.createdAtMs || (a.id < b.id ? 1 : -1)
    );
  }

  create(key: StoredKey): Promise<boolean> {
    return this.#writing.run(async () => {
      const [id, digest] = await read(
        this.#kv.getMany([["key", keyPart(key.record.id)], linkKey(key.digest)]),
      );
      if (id.versionstamp !== null || digest.versionstamp !== null) return false;
      try {
        await this.#write(key, [linkRow(key)]);
      } finally {
        this.#created++;
      }
      return true;
    });
  }

  update(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined> {
    return this.#writing.run(async () => {
      const key = await this.#find(id);
      if (key === undefined) return undefined;
      const record = change(key.record);
      if (record === key.record) return record;
      const changed = { ...key, record };
      await this.#write(changed, record.status === key.record.status ? [] : [linkRow(changed)]);
      return record;
    });
  }

  move(id: string, { from, to }: { from: string; to: string }): Promise<boolean> {
    return this.#writing.run(async () => {
      const key = await this.#find(id);
      if (key?.digest !== from) return false;
      const moved = { ...key, digest: to };
      try {
        await this.#write(moved, [{ key: linkKey(from), bytes: 0 }, linkRow(moved)]);
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
    const { value } = await read(this.#kv.get<Uint8Array>(["key", keyPart(id)]));
    if (value === null) return undefined;
    const key = decodeKey(value);
    if (writes === this.#writes) this.#cache(key);
    return key;
  }

  async #write(key: StoredKey, rows: readonly Row[]): Promise<void> {
    const row = jsonRow(["key", keyPart(key.record.id)], key);
    if (row.bytes > MAX_VALUE_BYTES) {
      throw new StoreError(
        `Cannot write key "${key.record.id}": it is ${row.bytes} bytes, at most ${MAX_VALUE_BYTES}`,
      );
    }
    this.#writes++;
    try {
      await this.#writer.write([row, ...rows]);
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

function linkKey(digest: string): Deno.KvKey {
  return ["digest", keyPart(digest)];
}

/**
 * Returns the row that finds an active key by digest; other keys have none, so that a lookup finds
 * nothing.
 */
function linkRow({ record, digest }: StoredKey): Row {
  const key = linkKey(digest);
  return record.status === "active" ? jsonRow(key, record.id) : { key, bytes: 0 };
}

function decodeKey(value: Uint8Array): StoredKey {
  return JSON.parse(textOf(value)) as StoredKey;
}
