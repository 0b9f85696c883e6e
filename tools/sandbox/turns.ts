const tails = new Map<string, Promise<void>>();

/**
 * Runs one after the other what was begun for the same key: calls that a model makes at once would
 * otherwise read a file together, and the last to write would undo the others.
 */
export async function inTurn<Result>(key: string, run: () => Promise<Result>): Promise<Result> {
  const result = (tails.get(key) ?? Promise.resolve()).then(run);
  // Its failure is its caller's, not the next one's.
  const tail = result.then(() => {}, () => {});
  tails.set(key, tail);
  try {
    return await result;
  } finally {
    if (tails.get(key) === tail) tails.delete(key);
  }
}
