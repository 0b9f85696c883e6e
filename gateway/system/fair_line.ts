/**
 * Those who wait, in the order of their turns: within an owner first come first served, and owners
 * one after another, however many each has waiting (round robin).
 */
export class FairLine<T> {
  /** By owner; the owner whose turn is next comes first. */
  readonly #lines = new Map<string, Set<T>>();
  #size = 0;

  /** How many wait. */
  get size(): number {
    return this.#size;
  }

  /** Joins the line. An item waits once. */
  add(owner: string, item: T): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, new Set([item]));
    else if (line.has(item)) return;
    else line.add(item);
    this.#size += 1;
  }

  /** Leaves the line; false where it was not in it. */
  delete(owner: string, item: T): boolean {
    const line = this.#lines.get(owner);
    if (line === undefined || !line.delete(item)) return false;
    this.#size -= 1;
    if (line.size === 0) this.#lines.delete(owner);
    return true;
  }

  /** Takes out the first that may go. Its owner's next turn comes after everybody else's. */
  take(mayGo: (item: T) => boolean): T | undefined {
    for (const [owner, line] of this.#lines) {
      for (const item of line) {
        if (!mayGo(item)) continue;
        this.delete(owner, item);
        if (this.#lines.delete(owner)) this.#lines.set(owner, line);
        return item;
      }
    }
    return undefined;
  }

  /** Takes everybody out, in the order of their turns. */
  takeAll(): T[] {
    const all: T[] = [];
    for (;;) {
      const item = this.take(() => true);
      if (item === undefined) return all;
      all.push(item);
    }
  }

  /**
   * Makes room for one more of the owner: takes out who came last of the owner with the most waiting.
   * `undefined` where the owner has as many waiting as anybody: then there is no room for it.
   */
  makeRoom(owner: string): T | undefined {
    let longest = owner;
    for (const [other, line] of this.#lines) {
      if (line.size > this.#sizeOf(longest)) longest = other;
    }
    // One more of its own must not be more than the other is left with.
    if (this.#sizeOf(longest) - 1 <= this.#sizeOf(owner)) return undefined;
    const last = [...this.#lines.get(longest) ?? []].at(-1);
    if (last !== undefined) this.delete(longest, last);
    return last;
  }

  #sizeOf(owner: string): number {
    return this.#lines.get(owner)?.size ?? 0;
  }
}
