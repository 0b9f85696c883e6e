/** A piece has to hold some events; what is longer comes in several. */
const ROOM_BYTES = 16 * 1024;

/** Reads a body piece by piece. */
export interface PieceReader {
  /** The next piece, good until the next is asked for; `undefined` at the end. */
  read(): Promise<Uint8Array | undefined>;
  /** Lets go of what is left. */
  cancel(): Promise<void>;
}

/**
 * Reads all pieces into one buffer where the platform can. Left to itself, it makes a new one of
 * 64 KiB for each piece of a few bytes, and collecting those takes longer than reading them.
 */
export function pieceReader(body: ReadableStream<Uint8Array>): PieceReader {
  let reader: ReadableStreamBYOBReader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch (error) {
    // It is no stream of bytes, as those that applications make are none: it has buffers of its own.
    if (error instanceof TypeError && !body.locked) return plainReader(body);
    throw error;
  }
  let room: Uint8Array = new Uint8Array(ROOM_BYTES);
  return {
    async read() {
      const { done, value } = await reader.read(room);
      if (done) return undefined;
      room = new Uint8Array(value.buffer);
      return value;
    },
    cancel: () => reader.cancel(),
  };
}

function plainReader(body: ReadableStream<Uint8Array>): PieceReader {
  const reader = body.getReader();
  return {
    read: async () => (await reader.read()).value,
    cancel: () => reader.cancel(),
  };
}
