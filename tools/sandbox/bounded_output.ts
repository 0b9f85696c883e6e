/** Output of a process; it keeps the beginning and the end. */
export class BoundedOutput {
  /** Bytes received so far. */
  total = 0;
  readonly #half: number;
  readonly #head: Uint8Array[] = [];
  readonly #tail: Uint8Array[] = [];
  #headBytes = 0;
  #tailBytes = 0;

  /** Creates a buffer of at most `maxBytes`. */
  constructor(maxBytes: number) {
    this.#half = Math.ceil(maxBytes / 2);
  }

  /** Adds output. */
  push(chunk: Uint8Array): void {
    this.total += chunk.length;
    const space = this.#half - this.#headBytes;
    const first = chunk.slice(0, space);
    if (first.length > 0) this.#head.push(first);
    this.#headBytes += first.length;
    const rest = chunk.slice(Math.max(space, chunk.length - this.#half));
    if (rest.length === 0 || chunk.length <= space) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    this.#forget();
  }

  /** Returns the text, with a label in place of the omitted part. */
  text(): string {
    const decoder = new TextDecoder();
    const omitted = this.total - this.#headBytes - this.#tailBytes;
    if (omitted === 0) return decoder.decode(join([...this.#head, ...this.#tail]));
    // Characters that a cut splits are left out.
    const head = decoder.decode(join(this.#head), { stream: true });
    const end = join(this.#tail);
    const start = end.findIndex((byte) => (byte & 0xc0) !== 0x80);
    const tail = new TextDecoder().decode(end.slice(Math.max(0, start)));
    return `${head}\n[Cut: ${omitted} of ${this.total} bytes are left out here]\n${tail}`;
  }

  #forget(): void {
    for (let first = this.#tail[0]; first !== undefined; first = this.#tail[0]) {
      const surplus = this.#tailBytes - this.#half;
      if (surplus <= 0) return;
      if (first.length <= surplus) this.#tail.shift();
      else this.#tail[0] = first.slice(surplus);
      this.#tailBytes -= Math.min(first.length, surplus);
    }
  }
}

function join(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
