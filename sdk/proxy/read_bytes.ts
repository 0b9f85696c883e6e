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
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = (body ?? new Blob().stream()).getReader();
  // Ends a read that waits. It rejects where the connection has gone, and the read says that itself.
  const stop = () => void reader.cancel(signal.reason).catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      signal.throwIfAborted();
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) return joined(pieces, length);
      length += value.byteLength;
      if (length > maxBytes) {
        await reader.cancel();
        return undefined;
      }
      pieces.push(value);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.byteLength;
  }
  return whole;
}
