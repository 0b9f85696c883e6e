import { pieceReader } from "./piece_reader.ts";

const FIRST_ROOM_BYTES = 16 * 1024;

/** How far to read. */
export interface ReadBytesOptions {
  /** Longest body. */
  readonly maxBytes: number;
  /** Ends the reading. */
  readonly signal: AbortSignal;
}

/**
 * The bytes of a body; `undefined` where there are more than `maxBytes`. What is not read is
 * cancelled. Throws the signal's reason where that ends it.
 */
export async function readBytes(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, signal }: ReadBytesOptions,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const reader = pieceReader(body ?? new Blob().stream());
  // Not waited for: a body of the application's own may never be done with it. It rejects where the
  // connection has gone, and the read says that itself.
  const stop = () => void reader.cancel().catch(() => {});
  // Pieces are copied: one kept as it came may keep a buffer of many times its length.
  let room = new Uint8Array(Math.min(FIRST_ROOM_BYTES, maxBytes));
  let length = 0;
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const piece = await reader.read();
      signal.throwIfAborted();
      if (piece === undefined) return room.subarray(0, length);
      const end = length + piece.byteLength;
      if (end > maxBytes) {
        stop();
        return undefined;
      }
      if (end > room.byteLength) room = grown(room, Math.min(Math.max(end, 2 * length), maxBytes));
      room.set(piece, length);
      length = end;
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function grown(room: Uint8Array<ArrayBuffer>, bytes: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes);
  larger.set(room);
  return larger;
}
