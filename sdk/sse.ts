import { createParser, type ParseError } from "eventsource-parser";
import { tooLong } from "./answer.ts";
import { LONGEST_ANSWER_BYTES, LONGEST_EVENT_CHARS } from "./answer_limits.ts";
import { ServiceConnectionError } from "./errors.ts";
import { type PieceReader, pieceReader } from "./piece_reader.ts";

/**
 * Reads the data of server-sent events out of a body, however its bytes were split. A last event
 * without its blank line was cut and does not count, as the standard has it.
 */
export class EventReader {
  readonly #reader: PieceReader;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: LONGEST_EVENT_CHARS,
    onEvent: ({ data }) => void this.#ready.push(data),
    onError: refuseTooLong,
  });
  readonly #maxBytes: number;
  #ready: string[] = [];
  #bytes = 0;
  #isOver = false;

  /** Reads nothing yet. */
  constructor(
    body: ReadableStream<Uint8Array>,
    { maxBytes = LONGEST_ANSWER_BYTES }: { readonly maxBytes?: number } = {},
  ) {
    this.#reader = pieceReader(body);
    this.#maxBytes = maxBytes;
  }

  /**
   * The data of the next events, in order, at least one; `undefined` at the end of the body. Throws
   * a `ServiceConnectionError` where an event, or all of them together, are too long.
   */
  async read(): Promise<readonly string[] | undefined> {
    while (this.#ready.length === 0) {
      const piece = await this.#reader.read();
      if (piece === undefined) {
        this.#isOver = true;
        return undefined;
      }
      this.#bytes += piece.byteLength;
      if (this.#bytes > this.#maxBytes) throw tooLong(this.#maxBytes);
      this.#parser.feed(this.#decoder.decode(piece, { stream: true }));
    }
    const ready = this.#ready;
    this.#ready = [];
    return ready;
  }

  /** Cancels what is left of the body. */
  async cancel(): Promise<void> {
    // Rejects where the body has broken already: nothing is left to cancel then.
    if (!this.#isOver) await this.#reader.cancel().catch(() => {});
  }
}

/** Everything else that a parser finds odd is passed over, as the standard has it. */
function refuseTooLong({ type }: ParseError): void {
  if (type !== "max-buffer-size-exceeded") return;
  throw new ServiceConnectionError(
    `The stream has an event longer than ${LONGEST_EVENT_CHARS} characters`,
  );
}
