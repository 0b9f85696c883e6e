/** What an error says, and then what its causes say that it does not, without their stacks. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause === undefined ? "" : reasonOf(error.cause);
  return error.message.includes(cause) ? error.message : `${error.message}: ${cause}`;
}
