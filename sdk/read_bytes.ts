import { pieceReader } from "./piece_reader.ts";

const FIRST_BUFFER_BYTES = 16 * 1024;

/** Limits of a read. */
export interface ReadBytesOptions {
  /** Longest body, in bytes. */
  readonly maxBytes: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/**
 * Returns the bytes of a body; `undefined` when there are more than `maxBytes`. The rest is
 * cancelled. Throws the signal's reason when that ends the read.
 */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, signal }: ReadBytesOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = pieceReader(body ?? new Blob().stream());
  // Not awaited: a body of the application's own may never settle. It rejects when the connection
  // is gone, and so does the read.
  const stop = () => void reader.cancel().catch(() => {});
  // Pieces are copied: a retained piece may retain a buffer many times its length.
  let buffer = new Uint8Array(Math.min(FIRST_BUFFER_BYTES, maxBytes));
  let length = 0;
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const piece = await reader.read();
      signal.throwIfAborted();
      if (piece === undefined) return buffer.subarray(0, length);
      const end = length + piece.byteLength;
      if (end > maxBytes) {
        stop();
        return undefined;
      }
      if (end > buffer.byteLength) {
        buffer = grown(buffer, Math.min(Math.max(end, 2 * length), maxBytes));
      }
      buffer.set(piece, length);
      length = end;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function grown(buffer: Uint8Array<ArrayBuffer>, bytes: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes);
  larger.set(buffer);
  return larger;
}
