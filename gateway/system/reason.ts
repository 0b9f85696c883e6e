/** Returns the messages of an error and its causes, without repetitions and stacks. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : reasonOf(error.cause);
  return error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}
