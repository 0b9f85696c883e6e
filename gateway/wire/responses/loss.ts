/** A part of a Responses request that Chat Completions cannot carry. */
export interface Loss {
  /** Its path in the request, for instance `input.2.content.0.file_id`. */
  readonly path: string;
  /** One clause: why it cannot be carried. */
  readonly reason: string;
  /**
   * The consequence. `report`: it is left out, and the answer says so. `native`: the answer would
   * differ without it, so only upstreams of Responses may be called. `refuse`: no upstream may be
   * called, since it refers to content in the operator's account at a provider, which all customers
   * share, or to something that the service does not do.
   */
  readonly action: "report" | "native" | "refuse";
}

/** Returns the losses of an object's members that are not `known`. */
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

/** Returns a loss as one line, for the answer's metadata. */
export function lossText({ path, reason }: Loss): string {
  return `${path}: ${reason}`;
}
