/**
 * The beginning of a backup: one line that says what the file is, and one of JSON. The only part that
 * is readable without the passphrase; it holds no secret.
 *
 * @module
 */

import { z } from "zod";
import { BackupError } from "./backup_error.ts";

/** First line of every backup. */
export const MAGIC = "svc backup\n";
/** Version of the format that is written, and the newest that is read. */
export const FORMAT = 1;
/** Longest header, in bytes. */
export const MAX_HEADER_BYTES = 4 * 1024;

const HEADER = z.strictObject({
  format: z.int().positive(),
  /** Version of the service that made it. */
  service: z.string().max(64),
  /** ISO 8601. */
  takenAt: z.iso.datetime(),
  /** Rows of the store. */
  rows: z.int().nonnegative(),
  /** `passphrase`: AES-256-GCM under a key that scrypt makes of it; `none`: anybody can read it. */
  sealed: z.enum(["passphrase", "none"]),
  /** Hexadecimal. */
  salt: z.string().regex(/^[0-9a-f]{32}$/),
});

/** What the header says. */
export type Header = Readonly<z.infer<typeof HEADER>>;

/** The header as it stands in the file. */
export function encodeHeader(header: Header): Uint8Array {
  return new TextEncoder().encode(`${MAGIC}${JSON.stringify(header)}\n`);
}

/**
 * Reads the second line.
 *
 * @throws {BackupError} Where it is none, or of a format that came later.
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
