/**
 * A request body that `fetch` can send only once. Deno's `fetch` repeats a text or bytes by itself
 * when a reused connection breaks before the answer: the call could then be executed, and billed,
 * twice, although the caller disabled retries. A blob is a stream for it, which it cannot repeat.
 */
export class OneTimeBody extends Blob {
  readonly #content: string | Uint8Array<ArrayBuffer>;

  /** Creates a body; a text is sent as UTF-8. */
  constructor(content: string | Uint8Array<ArrayBuffer>) {
    super([content]);
    this.#content = content;
  }

  /** Returns the content, for a `fetch` of the application that takes bodies as texts. */
  override toString(): string {
    const content = this.#content;
    return typeof content === "string" ? content : new TextDecoder().decode(content);
  }
}
