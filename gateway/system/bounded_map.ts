/**
 * A map that forgets what was used least recently when it is full. Two generations, since moving an
 * entry to the end of a `Map` with every use costs more than the look for it.
 */
export class BoundedMap<K, V> {
  readonly #capacity: number;
  #young = new Map<K, V>();
  #old = new Map<K, V>();

  /** `capacity` is the most entries it keeps; of those used last it keeps half as many at least. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** The value, which counts as used. */
  get(key: K): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Adds or replaces. */
  set(key: K, value: V): void {
    if (this.#young.size >= Math.ceil(this.#capacity / 2) && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}
