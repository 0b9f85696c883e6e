/**
 * Corrections of malformed tool calls of some upstreams, shared by all surfaces.
 *
 * @module
 */

/** Returns arguments as JSON text: some upstreams write the object itself, or null for none. */
export function argumentsText(written: unknown): string {
  return typeof written === "string" ? written : JSON.stringify(written ?? undefined) ?? "";
}

/**
 * Returns distinct ids for the calls of one turn, so that each result answers one of them: a call
 * without an id, or with that of an earlier call, gets a new one.
 */
export function distinctIds(written: readonly unknown[]): string[] {
  const ids = new Set<string>();
  for (const id of written) {
    const isUsable = typeof id === "string" && id !== "" && !ids.has(id);
    ids.add(isUsable ? id : `call_${crypto.randomUUID()}`);
  }
  return [...ids];
}
