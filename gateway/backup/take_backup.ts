import { randomBytes } from "node:crypto";
import { ArchiveWriter } from "./archive.ts";
import { encodeHeader, FORMAT, type Header } from "./header.ts";
import { passphraseSeal, plainSeal } from "./seal.ts";
import { type SnapshotHead, snapshotOf } from "./store_rows.ts";

/** Options of {@linkcode takeBackup}. */
export interface TakeOptions {
  /** Absent: anyone with the file can read the backup. */
  readonly passphrase?: string | undefined;
  /** Contents of the credentials file; included only in a sealed backup. */
  readonly credentials?: string | undefined;
  /** Version of this program. */
  readonly service: string;
  /** Unix milliseconds. */
  readonly nowMs: number;
  readonly write: (bytes: Uint8Array) => void;
  /** Called from time to time, with rows. */
  readonly onProgress: (done: number, total: number) => void;
}

/** The result of a backup. */
export interface BackupSummary {
  readonly header: Header;
  readonly head: SnapshotHead;
}

/** Writes a backup of the store at one moment, also while a service writes to it. */
export async function takeBackup(kvPath: string, options: TakeOptions): Promise<BackupSummary> {
  const { passphrase, credentials, service, nowMs, write, onProgress } = options;
  using snapshot = snapshotOf(kvPath);
  const header: Header = {
    format: FORMAT,
    service,
    takenAt: new Date(nowMs).toISOString(),
    rows: snapshot.count,
    sealed: passphrase === undefined ? "none" : "passphrase",
    salt: randomBytes(16).toString("hex"),
  };
  const bytes = encodeHeader(header);
  const seal = passphrase === undefined
    ? plainSeal(bytes)
    : await passphraseSeal(passphrase, { salt: header.salt, header: bytes });
  write(bytes);
  const archive = new ArchiveWriter(write, seal);
  if (credentials !== undefined && passphrase !== undefined) {
    archive.add(["credentials", credentials]);
  }
  let done = 0;
  for (const record of snapshot.rows()) {
    done++;
    if (!archive.add(record)) continue;
    onProgress(done, snapshot.count);
    // Signals are handled only between two turns of the event loop.
    await new Promise((resolve) => setTimeout(resolve));
  }
  archive.end();
  return { header, head: snapshot.head };
}
