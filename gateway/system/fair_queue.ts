/**
 * A fair queue: first come first served within an owner, and round robin among owners, however many
 * items each has waiting.
 */
export class FairQueue<T> {
  /** Items by owner; the owner whose turn is next comes first. */
  readonly #lines = new Map<string, Set<T>>();
  #size = 0;

  /** Number of waiting items. */
  get size(): number {
    return this.#size;
  }

  /** Adds an item. An item waits once. */
  add(owner: string, item: T): void {
    const line = this.#lines.get(owner);
    if (line === undefined) this.#lines.set(owner, new Set([item]));
    else if (line.has(item)) return;
    else line.add(item);
    this.#size += 1;
  }

  /** Removes an item; returns false when it was not waiting. */
  delete(owner: string, item: T): boolean {
    const line = this.#lines.get(owner);
    if (line === undefined || !line.delete(item)) return false;
    this.#size -= 1;
    if (line.size === 0) this.#lines.delete(owner);
    return true;
  }

  /** Takes the first permitted item. Its owner's next turn comes after all other owners'. */
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

  /** Takes all items, in the order of their turns. */
  takeAll(): T[] {
    const all: T[] = [];
    for (;;) {
      const item = this.take(() => true);
      if (item === undefined) return all;
      all.push(item);
    }
  }

  /**
   * Makes room for one more item of the owner: removes the last item of the owner with the most
   * waiting. `undefined` when no owner has more: then there is no room.
   */
  makeRoom(owner: string): T | undefined {
    let longest = owner;
    for (const [other, line] of this.#lines) {
      if (line.size > this.#sizeOf(longest)) longest = other;
    }
    // The owner must not end with more items than the other has left.
    if (this.#sizeOf(longest) - 1 <= this.#sizeOf(owner)) return undefined;
    const last = [...this.#lines.get(longest) ?? []].at(-1);
    if (last !== undefined) this.delete(longest, last);
    return last;
  }

  #sizeOf(owner: string): number {
    return this.#lines.get(owner)?.size ?? 0;
  }
}
