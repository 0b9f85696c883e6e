/** Something of a Responses request that Chat Completions cannot carry. */
export interface Loss {
  /** Where it stands in the request, for instance `input.2.content.0.file_id`. */
  readonly path: string;
  /** One clause: why it cannot be carried. */
  readonly reason: string;
  /** Whether the answer would be another than the one asked for: then the request is refused. */
  readonly essential: boolean;
}
