/**
 * The body of a request that `fetch` can send once only. Deno's sends a text, or bytes, again by
 * itself where a kept connection breaks before the answer: the call could then be executed, and
 * billed, twice, though nobody has asked for retries. A blob is a stream to it, which it cannot.
 */
export class OneTimeBody extends Blob {
  readonly #content: string | Uint8Array<ArrayBuffer>;

  /** A text is sent as UTF-8. */
  constructor(content: string | Uint8Array<ArrayBuffer>) {
    super([content]);
    this.#content = content;
  }

  /** What it holds, for a `fetch` of the application's own that takes bodies for texts. */
  override toString(): string {
    const content = this.#content;
    return typeof content === "string" ? content : new TextDecoder().decode(content);
  }
}
