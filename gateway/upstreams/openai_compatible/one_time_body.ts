import { Buffer } from "node:buffer";

const encoder = new TextEncoder();

/**
 * Maximum length of text that is encoded at once, in UTF-16 code units: 10 MB of Chinese take 16
 * ms.
 */
const PIECE_CHARS = 256 * 1024;

/**
 * A body that `fetch` can send only once: a stream whose length is known in advance, which among
 * bodies only a blob is. An ordinary blob copies its text out of the heap and reads it back piece
 * by piece, which costs a third of the whole request.
 */
export class OneTimeBody extends Blob {
  readonly #text: string;
  readonly #size: number;
  /** Bytes of a short text; a long one is encoded while it is sent. */
  readonly #bytes: Uint8Array<ArrayBuffer> | undefined;

  /** Encodes `text` as UTF-8. */
  constructor(text: string) {
    super();
    this.#text = text;
    this.#bytes = text.length > PIECE_CHARS ? undefined : encoder.encode(text);
    this.#size = this.#bytes?.length ?? Buffer.byteLength(text);
  }

  /** Length in bytes. */
  override get size(): number {
    return this.#size;
  }

  /** Streams the bytes, a short text in one piece. */
  override stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    const bytes = this.#bytes;
    if (bytes === undefined) return new ReadableStream(new Pieces(this.#text));
    return new ReadableStream({
      start: (controller) => {
        controller.enqueue(bytes);
        controller.close();
      },
    });
  }
}

/** Encodes a text piece by piece, on demand. */
class Pieces implements UnderlyingDefaultSource<Uint8Array<ArrayBuffer>> {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  pull(controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>): void {
    const from = this.#at;
    this.#at = pieceEnd(this.#text, from);
    controller.enqueue(encoder.encode(this.#text.slice(from, this.#at)));
    if (this.#at >= this.#text.length) controller.close();
  }
}

/**
 * Returns the end of a piece. A surrogate pair that is cut would be sent as two replacement
 * characters.
 */
function pieceEnd(text: string, from: number): number {
  const end = from + PIECE_CHARS;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
