/** A bug: something that this code holds to be impossible has happened. */
export class InvariantError extends Error {
  override name = "InvariantError";
}

/**
 * Throws an {@linkcode InvariantError} unless the condition holds. For bugs only, never for input.
 * The message is made even where it holds: where that is many times a request, throw the error.
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
