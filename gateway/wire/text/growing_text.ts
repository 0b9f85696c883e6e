/**
 * First and largest size of a block in bytes: a short answer takes little, a long one few blocks.
 */
const BLOCK_BYTES = { first: 1024, most: 64 * 1024 };

const encoder = new TextEncoder();
// A byte-order mark at the start of a block is an ordinary character.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Text that arrives in pieces, kept as the bytes of its JSON string. It takes one byte per ASCII
 * character outside V8's heap; strings that live as long as an answer would be moved to the old
 * generation.
 *
 * Escapes are joined unchanged: separated halves of a surrogate pair become the pair again.
 */
export class GrowingText {
  #full: Uint8Array[] = [];
  #block = new Uint8Array(0);
  #used = 0;
  #literal: string | undefined;

  /** Adds a piece, and returns it as a JSON string. */
  push(piece: string): string {
    const literal = JSON.stringify(piece);
    let rest = literal.slice(1, -1);
    for (;;) {
      const { read, written } = encoder.encodeInto(rest, this.#block.subarray(this.#used));
      this.#used += written;
      if (read === rest.length) return literal;
      rest = rest.slice(read);
      this.#grow(rest.length);
    }
  }

  /** Returns the whole text as a JSON string; from here on nothing may be added. */
  literal(): string {
    if (this.#literal === undefined) {
      this.#literal = this.#joined();
      this.#full = [];
      this.#block = new Uint8Array(0);
    }
    return this.#literal;
  }

  /** Returns the text so far. */
  text(): string {
    return JSON.parse(this.#literal ?? this.#joined());
  }

  /** Adds a block, as large as the last ones make likely, or as the rest needs at once. */
  #grow(rest: number): void {
    if (this.#used > 0) this.#full.push(this.#block.subarray(0, this.#used));
    const wanted = Math.max(this.#block.length * 2, rest, BLOCK_BYTES.first);
    this.#block = new Uint8Array(Math.min(wanted, BLOCK_BYTES.most));
    this.#used = 0;
  }

  #joined(): string {
    const blocks = [...this.#full, this.#block.subarray(0, this.#used)];
    return `"${blocks.map((block) => decoder.decode(block)).join("")}"`;
  }
}
