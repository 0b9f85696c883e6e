import { createHash } from "node:crypto";

const MAX_CHARS = 256;

/**
 * Returns an id as PostgreSQL can store it. Ids that are long, ill-formed or contain a null character
 * are hashed.
 */
export function textId(id: string): string {
  const plain = id.length <= MAX_CHARS && id.isWellFormed() && !id.startsWith("#") &&
    !id.includes("\0");
  return plain ? id : `#${createHash("sha256").update(JSON.stringify(id)).digest("hex")}`;
}

/** Returns the JSON of an id that {@linkcode textId} hashes; `null` for all others. */
export function originalOf(id: string): string | null {
  return textId(id) === id ? null : JSON.stringify(id);
}

/** Returns the id of a row. */
export function idOf(row: { readonly id: string; readonly original?: string | null }): string {
  return typeof row.original === "string" ? JSON.parse(row.original) : row.id;
}
