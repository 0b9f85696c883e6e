import { createParser, type ParseError } from "eventsource-parser";
import { tooLong } from "./answer.ts";
import { LONGEST_ANSWER_BYTES, LONGEST_EVENT_CHARS } from "./answer_limits.ts";
import { ServiceConnectionError } from "./errors.ts";
import { type PieceReader, pieceReader } from "./piece_reader.ts";

/**
 * Reads the data of server-sent events from a body, however its bytes were split. The last event
 * may lack its blank line when its data is a complete JSON object or `[DONE]`; a cut event is
 * dropped.
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

  /** Creates a reader without reading. */
  constructor(
    body: ReadableStream<Uint8Array>,
    { maxBytes = LONGEST_ANSWER_BYTES }: { readonly maxBytes?: number } = {},
  ) {
    this.#reader = pieceReader(body);
    this.#maxBytes = maxBytes;
  }

  /**
   * Reads the data of the next events, in order, at least one; `undefined` at the end of the body.
   * Throws a `ServiceConnectionError` when one event, or all of them together, exceed the limit.
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

  /** Cancels the body. */
  async cancel(): Promise<void> {
    // Rejects when the body has failed already: there is nothing to cancel then.
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

/**
 * Refuses an event that is too long. Other errors of the parser are ignored, as the standard
 * demands.
 */
function refuseTooLong({ type }: ParseError): void {
  if (type !== "max-buffer-size-exceeded") return;
  throw new ServiceConnectionError(
    `The stream has an event longer than ${LONGEST_EVENT_CHARS} characters`,
  );
}
