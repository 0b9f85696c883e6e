import { createParser, type ParseError } from "eventsource-parser";
import { tooLong } from "./answer.ts";
import { LONGEST_ANSWER_BYTES, LONGEST_EVENT_CHARS } from "./answer_limits.ts";
import { ServiceConnectionError } from "./errors.ts";
import { type PieceReader, pieceReader } from "./piece_reader.ts";

/**
 * Reads the data of server-sent events out of a body, however its bytes were split. The last event
 * may lack its blank line: it counts where its data is a whole JSON object, or `[DONE]`. What was cut
 * is neither.
 */
export class EventReader {
  readonly #reader: PieceReader;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: LONGEST_EVENT_CHARS,
    onEvent: ({ data }) => {
      if (!this.#isOver || isWhole(data)) this.#ready.push(data);
    },
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
      if (this.#isOver) return undefined;
      const piece = await this.#reader.read();
      if (piece === undefined) {
        this.#isOver = true;
        this.#parser.feed("\n\n");
        continue;
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

function isWhole(data: string): boolean {
  if (data === "[DONE]") return true;
  try {
    return data.startsWith("{") && JSON.parse(data) !== null;
  } catch {
    return false;
  }
}

/** Everything else that a parser finds odd is passed over, as the standard has it. */
function refuseTooLong({ type }: ParseError): void {
  if (type !== "max-buffer-size-exceeded") return;
  throw new ServiceConnectionError(
    `The stream has an event longer than ${LONGEST_EVENT_CHARS} characters`,
  );
}
