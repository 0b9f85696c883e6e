import type { KeyRecord } from "../../domain/policy/key.ts";
import type { KeyPage, KeyQuery, KeyStore, StoredKey } from "../../ports/key_store.ts";
import { StoreError } from "../../ports/store_error.ts";

/** A key store in memory for tests, which counts calls and fails on demand. */
export class MemoryKeys implements KeyStore {
  readonly stored = new Map<string, StoredKey>();
  /** Digests that {@linkcode MemoryKeys.remembered} answers: those that were read before. */
  readonly #readDigests = new Set<string>();
  readonly calls = { find: 0, update: 0, move: 0 };
  failing = false;
  /** Awaited during every read. */
  looking: () => Promise<void> = () => Promise.resolve();

  get created(): number {
    return this.stored.size;
  }
  remembered(digest: string): KeyRecord | undefined {
    return this.#readDigests.has(digest) ? this.#at([digest])?.record : undefined;
  }
  async findByDigest(...digests: string[]): Promise<KeyRecord | undefined> {
    this.calls.find++;
    await this.looking();
    const key = this.#at(digests);
    if (key?.record.status !== "active") return undefined;
    this.#readDigests.add(key.digest);
    return key.record;
  }
  get(id: string): Promise<KeyRecord | undefined> {
    return Promise.resolve(this.stored.get(id)?.record);
  }
  getStored(id: string): Promise<StoredKey | undefined> {
    return Promise.resolve(this.stored.get(id));
  }
  hasDigest(...digests: string[]): Promise<boolean> {
    return Promise.resolve(this.#at(digests) !== undefined);
  }
  page({ limit }: KeyQuery): Promise<KeyPage> {
    return Promise.resolve({ keys: [...this.stored.values()].reverse().slice(0, limit) });
  }
  count(): number {
    return this.stored.size;
  }
  async *all(): AsyncGenerator<StoredKey> {
    for (const key of this.stored.values()) yield await Promise.resolve(key);
  }
  ofWallet(walletId: string): AsyncGenerator<KeyRecord> {
    return this.#where(({ record }) => record.walletId === walletId);
  }
  copiesOf(id: string): AsyncGenerator<KeyRecord> {
    return this.#where(({ record }) => record.rotatedFrom === id);
  }
  underPepper(version: number): AsyncGenerator<KeyRecord> {
    return this.#where(({ digest }) => digest.startsWith(`${version}.`));
  }
  async *#where(matches: (key: StoredKey) => boolean): AsyncGenerator<KeyRecord> {
    for (const key of this.stored.values()) {
      if (matches(key)) yield await Promise.resolve(key.record);
    }
  }
  create(key: StoredKey): Promise<boolean> {
    if (this.stored.has(key.record.id) || this.#at([key.digest]) !== undefined) {
      return Promise.resolve(false);
    }
    this.stored.set(key.record.id, key);
    return Promise.resolve(true);
  }
  update(id: string, change: (record: KeyRecord) => KeyRecord): Promise<KeyRecord | undefined> {
    this.calls.update++;
    if (this.failing) throw new StoreError("The disk is full");
    const key = this.stored.get(id);
    if (key === undefined) return Promise.resolve(undefined);
    const record = change(key.record);
    this.stored.set(id, { ...key, record });
    return Promise.resolve(record);
  }
  move(id: string, { from, to }: { from: string; to: string }): Promise<boolean> {
    this.calls.move++;
    if (this.failing) throw new StoreError("The disk is full");
    const key = this.stored.get(id);
    if (key?.digest !== from) return Promise.resolve(false);
    this.stored.set(id, { ...key, digest: to });
    this.#readDigests.add(to);
    return Promise.resolve(true);
  }

  #at(digests: readonly string[]): StoredKey | undefined {
    return [...this.stored.values()].find(({ digest }) => digests.includes(digest));
  }
}
