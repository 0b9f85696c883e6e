/**
 * Resolves to the result of a function, unless the signal is aborted before: then rejects with its
 * reason, while the function continues for other callers.
 */
export async function unlessAborted<T>(
  signal: AbortSignal | undefined,
  run: () => Promise<T>,
): Promise<T> {
  if (signal === undefined) return await run();
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(signal.reason);
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([run(), promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
