/**
 * A map of bounded size that forgets the entries used least recently. It keeps two generations,
 * because moving an entry to the end of a `Map` on every use costs more than a second lookup, and
 * removing the oldest entries one by one grows slow.
 */
export class BoundedMap<K, V> {
  readonly #capacity: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** Keeps at most `capacity` entries, and at least the `capacity / 2` that were used last. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the value and counts it as used. */
  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Adds or replaces a value. */
  set(key: K, value: V): void {
    if (this.#young.size >= Math.ceil(this.#capacity / 2) && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** Yields all entries, the older generation first; a value that was replaced comes once. */
  *entries(): Generator<[K, V]> {
    for (const entry of this.#old) if (!this.#young.has(entry[0])) yield entry;
    yield* this.#young;
  }

  /** Removes a value. */
  delete(key: K): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
