/**
 * The reading of odd calls that some upstreams write, one for every surface.
 *
 * @module
 */

/** Arguments as JSON text: some upstreams write the object itself, or null where there are none. */
export function argumentsText(written: unknown): string {
  return typeof written === "string" ? written : JSON.stringify(written ?? undefined) ?? "";
}

/**
 * Ids that tell the calls of one turn apart, so that each result answers one of them: a call without
 * an id, or with that of a call before it, gets an id of its own.
 */
export function distinctIds(written: readonly unknown[]): string[] {
  const ids = new Set<string>();
  for (const id of written) {
    const isUsable = typeof id === "string" && id !== "" && !ids.has(id);
    ids.add(isUsable ? id : `call_${crypto.randomUUID()}`);
  }
  return [...ids];
}
