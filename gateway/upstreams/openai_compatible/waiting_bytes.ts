/** First size, in bytes: an idle stream keeps little. */
const FIRST_BYTES = 1024;

/** Bytes that were read and wait to be taken together. */
export class WaitingBytes {
  #bytes = new Uint8Array(0);
  /** Offset before which everything was taken. */
  #taken = 0;
  #used = 0;

  /** Adds a copy of some bytes. */
  add(bytes: Uint8Array): void {
    const used = this.#used + bytes.length;
    if (used > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(FIRST_BYTES, 2 * this.#bytes.length, used));
      grown.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, this.#used);
    this.#used = used;
  }

  /** Removes and returns at most `max` bytes, which are valid until others are added. */
  take(max: number): Uint8Array {
    const bytes = this.#bytes.subarray(this.#taken, Math.min(this.#used, this.#taken + max));
    this.#taken += bytes.length;
    if (this.#taken === this.#used) this.#taken = this.#used = 0;
    return bytes;
  }
}
