/** Attacks of a hostile model or a hostile workspace, each one call of a file tool. */

/** The kinds of attack. */
export type AttackClass =
  | "traversal"
  | "absolute path"
  | "sibling prefix"
  | "symlink"
  | "hard link"
  | "special file"
  | "hostile name"
  | "secret"
  | "huge"
  | "pathological pattern"
  | "permission";

/** One call and its expected outcome. */
export interface Attack {
  /** Kind of the attack. */
  readonly kind: AttackClass;
  /** Tool to call. */
  readonly tool: "file_read" | "list_dir" | "file_search" | "file_write";
  /** Input of the call, as a model would send it. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Code of the expected error; `harmless`: an answer without anything from outside. */
  readonly ends: readonly string[];
  /** Behaviour of the permission callback; absent: it grants. */
  readonly permission?: "none" | "throws" | "truthy";
}

/** Content of every file outside the workspace; it must never be in an answer. */
export const SECRET = "SECRET-FROM-OUTSIDE";
/** Content of every file inside that holds secrets. */
export const DENIED = "DENIED-INSIDE";

/** The place of an attack. */
export interface World {
  /** The workspace, absolute. */
  readonly workspace: string;
  /** A folder beside it, whose name begins with that of the workspace. */
  readonly sibling: string;
  /** An unrelated folder. */
  readonly outside: string;
}
