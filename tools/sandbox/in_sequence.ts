const tails = new Map<string, Promise<void>>();

/**
 * Runs calls with the same key one after the other: concurrent calls of a model would otherwise
 * read a file at the same time, and the last write would undo the others.
 */
export async function inSequence<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
  const result = (tails.get(key) ?? Promise.resolve()).then(run);
  // A failure concerns its caller, not the next call.
  const tail = result.then(() => {}, () => {});
  tails.set(key, tail);
  try {
    return await result;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
