/**
 * The header of a backup: one line that identifies the file, and one of JSON. The only part
 * readable without the passphrase; it contains no secret.
 *
 * @module
 */

import { z } from "zod";
import { BackupError } from "./backup_error.ts";

/** First line of every backup. */
export const MAGIC = "svc backup\n";
/** Version of the format that is written, and the newest that can be read. */
export const FORMAT = 1;
/** Maximum size of the header, in bytes. */
export const MAX_HEADER_BYTES = 4 * 1024;

const HEADER = z.strictObject({
  format: z.int().positive(),
  /** Version of the service that wrote it. */
  service: z.string().max(64),
  /** ISO 8601. */
  takenAt: z.iso.datetime(),
  /** Number of rows of the store. */
  rows: z.int().nonnegative(),
  /** `passphrase`: AES-256-GCM under a key derived by scrypt; `none`: readable by anyone. */
  sealed: z.enum(["passphrase", "none"]),
  /** Hexadecimal. */
  salt: z.string().regex(/^[0-9a-f]{32}$/),
});

/** A decoded header. */
export type Header = Readonly<z.infer<typeof HEADER>>;

/** Encodes the header. */
export function encodeHeader(header: Header): Uint8Array {
  return new TextEncoder().encode(`${MAGIC}${JSON.stringify(header)}\n`);
}

/**
 * Decodes the second line.
 *
 * @throws {BackupError} When it is malformed, or of a later format.
 */
export function decodeHeader(line: string): Header {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new BackupError("The backup is damaged: its header cannot be read", { cause });
  }
  const format = Number(Object(value).format);
  if (format > FORMAT) {
    throw new BackupError(
      `The backup has format ${format}, made by svc ${String(Object(value).service)}: this svc ` +
        `reads formats up to ${FORMAT}; restore it with that version`,
    );
  }
  const parsed = HEADER.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new BackupError("The backup is damaged: its header cannot be read");
}
