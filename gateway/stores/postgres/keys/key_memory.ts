import type { KeyRecord } from "../../../domain/policy/key.ts";
import { BoundedMap } from "../../../system/bounded_map.ts";
import { MAX_CACHED_KEYS } from "../../kv/limits.ts";
import type { Change } from "../changes/announce.ts";
import type { Changes } from "../changes/changes.ts";

/** A key as it was after a change. */
interface Remembered {
  readonly record: KeyRecord;
  /** Number of the last change that the record may contain. */
  readonly at: number;
}

/**
 * Recently used keys by digest. A change anywhere ends the use of what is remembered within a
 * second: a key is returned only while the database has just said what has changed.
 */
export class KeyMemory {
  readonly #changes: Changes;
  #keys = new BoundedMap<string, Remembered>(MAX_CACHED_KEYS);

  constructor(changes: Changes) {
    this.#changes = changes;
  }

  get(digest: string): KeyRecord | undefined {
    return this.#changes.isCurrent ? this.#keys.get(digest)?.record : undefined;
  }

  /** Remembers a record that was read when `at` was the number of the last change. */
  set(digest: string, record: KeyRecord, at: number): void {
    // A change between may be of this key, and is not announced again.
    if (at < this.#changes.number) this.#keys.delete(digest);
    else this.#keys.set(digest, { record, at });
  }

  forget(digest: string): void {
    this.#keys.delete(digest);
  }

  /** Hears of a change of the key under a digest. */
  changed({ number, subject }: Change): void {
    const known = this.#keys.get(subject);
    if (known !== undefined && known.at < number) this.#keys.delete(subject);
  }

  clear(): void {
    this.#keys = new BoundedMap(MAX_CACHED_KEYS);
  }
}
