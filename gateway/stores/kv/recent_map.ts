/**
 * A map that forgets: of what was last used, at least `size` entries stay, at most twice as many.
 * Two generations, since taking the oldest entry out of a `Map` one by one grows slow.
 */
export class RecentMap<V> {
  readonly #size: number;
  #young = new Map<string, V>();
  #old = new Map<string, V>();

  constructor(size: number) {
    this.#size = size;
  }

  /** The value, which counts as used from now. */
  get(key: string): V | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  /** Sets a value. */
  set(key: string, value: V): void {
    this.#young.set(key, value);
    if (this.#young.size < this.#size) return;
    this.#old = this.#young;
    this.#young = new Map();
  }

  /** Forgets a value now. */
  delete(key: string): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
