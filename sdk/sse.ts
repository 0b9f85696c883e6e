import { createParser } from "eventsource-parser";
import { type PieceReader, pieceReader } from "./piece_reader.ts";

/**
 * Reads the data of server-sent events out of a body, however its bytes were split. A last event
 * without its blank line was cut and does not count, as the standard has it.
 */
export class EventReader {
  readonly #reader: PieceReader;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({ onEvent: ({ data }) => void this.#ready.push(data) });
  #ready: string[] = [];
  #isOver = false;

  /** Reads nothing yet. */
  constructor(body: ReadableStream<Uint8Array>) {
    this.#reader = pieceReader(body);
  }

  /** The data of the next events, in order, at least one; `undefined` at the end of the body. */
  async read(): Promise<readonly string[] | undefined> {
    while (this.#ready.length === 0) {
      const piece = await this.#reader.read();
      if (piece === undefined) {
        this.#isOver = true;
        return undefined;
      }
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
