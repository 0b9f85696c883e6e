/** A bug: a broken assumption of the code itself. */
export class InvariantError extends Error {
  override name = "InvariantError";
}

/**
 * Throws an {@linkcode InvariantError} unless the condition holds. For bugs only, never for input.
 * The message is built even when the condition holds: on a hot path, throw the error instead.
 */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(message);
}
