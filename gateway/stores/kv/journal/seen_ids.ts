import type { IdMemory } from "../../../domain/ledger/replay.ts";

/** Number of slots of the first table. */
const FIRST_SLOTS = 1 << 10;
/** Number of slots of the largest table: 16 MiB. */
const MAX_SLOTS = 1 << 21;

/**
 * Remembers ids by 64 bits of hash, so that millions take little memory. Remembers at least the
 * last million in at most 32 MiB; older ids are forgotten one generation at a time. Two different
 * ids collide once in many billions of pairs.
 */
export class SeenIds implements IdMemory {
  #young: Table;
  #old: Table | undefined;
  readonly #maxSlots: number;

  constructor(maxSlots = MAX_SLOTS) {
    this.#maxSlots = maxSlots;
    this.#young = new Table(Math.min(FIRST_SLOTS, maxSlots));
  }

  has(id: string): boolean {
    const [low, high] = hashOf(id);
    return this.#young.has(low, high) || this.#old?.has(low, high) === true;
  }

  add(id: string): void {
    this.#young.add(...hashOf(id));
    if (!this.#young.isHalfFull) return;
    if (this.#young.slots < this.#maxSlots) this.#young = this.#young.doubled();
    else {
      this.#old = this.#young;
      this.#young = new Table(this.#maxSlots);
    }
  }
}

/** A hash table with open addressing; never more than half full. */
class Table {
  readonly slots: number;
  /** Two words per slot; both zero for a free slot. */
  readonly #words: Uint32Array;
  #used = 0;

  constructor(slots: number) {
    this.slots = slots;
    this.#words = new Uint32Array(slots * 2);
  }

  get isHalfFull(): boolean {
    return this.#used * 2 >= this.slots;
  }

  has(low: number, high: number): boolean {
    return this.#words[this.#find(low, high)] !== 0;
  }

  add(low: number, high: number): void {
    const at = this.#find(low, high);
    if (this.#words[at] !== 0) return;
    this.#words[at] = low;
    this.#words[at + 1] = high;
    this.#used++;
  }

  /** Returns a table of twice the size with the same hashes. */
  doubled(): Table {
    const table = new Table(this.slots * 2);
    for (let at = 0; at < this.#words.length; at += 2) {
      const low = this.#words[at] ?? 0;
      if (low !== 0) table.add(low, this.#words[at + 1] ?? 0);
    }
    return table;
  }

  /** Returns the slot of the hash, or the free slot where it belongs. */
  #find(low: number, high: number): number {
    const words = this.#words;
    let at = (low & (this.slots - 1)) * 2;
    while (words[at] !== 0 && (words[at] !== low || words[at + 1] !== high)) {
      at = (at + 2) % words.length;
    }
    return at;
  }
}

/**
 * 64 bits in two words, the first never zero: cyrb53 by bryc (public domain), without its final
 * truncation to 53 bits.
 */
function hashOf(text: string): [number, number] {
  let one = 0xdeadbeef;
  let two = 0x41c6ce57;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 2654435761);
    two = Math.imul(two ^ unit, 1597334677);
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  two = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909);
  return [(one >>> 0) || 1, two >>> 0];
}
