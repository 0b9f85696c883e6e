/**
 * Size of the buffer in bytes: a piece holds several events; a longer one comes in several pieces.
 */
const BUFFER_BYTES = 16 * 1024;

/** A reader of a body, piece by piece. */
export interface PieceReader {
  /** Reads the next piece, which is valid until the next read; `undefined` at the end. */
  read(): Promise<Uint8Array | undefined>;
  /** Cancels the body. */
  cancel(): Promise<void>;
}

/**
 * Returns a reader that uses one buffer for all pieces where the platform can. By default the
 * platform allocates 64 KiB for each piece of a few bytes, and collecting those takes longer than
 * reading them.
 */
export function pieceReader(body: ReadableStream<Uint8Array>): PieceReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch (error) {
    // Not a byte stream, as streams of applications usually are not: it brings its own buffers.
    if (error instanceof TypeError && !body.locked) return plainReader(body);
    throw error;
  }
  let buffer: Uint8Array = new Uint8Array(BUFFER_BYTES);
  return {
    async read() {
      const { done, value } = await reader.read(buffer);
      if (done) return undefined;
      buffer = new Uint8Array(value.buffer);
      return value;
    },
    cancel: () => reader.cancel(),
  };
}

function plainReader(body: ReadableStream<Uint8Array>): PieceReader {
  const reader = body.getReader();
  return { read: async () => (await reader.read()).value, cancel: () => reader.cancel() };
}
