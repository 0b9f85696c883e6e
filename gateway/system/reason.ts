/** What an error says, and then what its causes say, without their stacks. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${reasonOf(error.cause)}`;
}
