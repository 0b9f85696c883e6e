/** Something of a Responses request that Chat Completions cannot carry. */
export interface Loss {
  /** Where it stands in the request, for instance `input.2.content.0.file_id`. */
  readonly path: string;
  /** One clause: why it cannot be carried. */
  readonly reason: string;
  /**
   * What is to be done. `report`: it is left out, and the answer says so. `native`: without it the
   * answer would be another; only upstreams that speak Responses themselves may be asked. `refuse`:
   * nobody may be asked, since it names what the operator's own account at a provider holds, for
   * every customer alike, or what the service does not do.
   */
  readonly action: "report" | "native" | "refuse";
}

/** What of an object's members, beside those that are `known`, cannot be carried. */
export function lostMembers(
  value: Readonly<Record<string, unknown>>,
  known: readonly string[],
  path: string,
): Loss[] {
  return Object.entries(value).flatMap(([name, member]) =>
    known.includes(name) || member === null || member === undefined
      ? []
      : [{ path: `${path}.${name}`, reason: "it has no counterpart", action: "report" }]
  );
}

/** A loss in one line, for the answer's metadata. */
export function lossText({ path, reason }: Loss): string {
  return `${path}: ${reason}`;
}
