import { onInterrupt } from "../input/interrupt.ts";
import { fileErrorText } from "../../system/file_error_text.ts";
import { CliFailure } from "../failures.ts";

/** A file that appears once it is complete. */
export interface OutputFile {
  /** Appends text or bytes. Throws a {@linkcode CliFailure} when the disk is full. */
  write(piece: string | Uint8Array): void;
  /** Makes the contents durable and gives the file its name. */
  finish(): Promise<void>;
  /** Removes the unfinished file; does nothing after `finish`. Call it in any case. */
  discard(): Promise<void>;
}

/**
 * Begins a file under a temporary name, readable by its user only. An existing regular file is
 * replaced if `force` is set; other kinds of files never are.
 *
 * @throws {CliFailure} When it cannot be created, or the name exists.
 */
export async function createOutputFile(
  path: string,
  { force }: { force: boolean },
): Promise<OutputFile> {
  await requireFree(path, force);
  const partial = `${path}.${crypto.randomUUID().slice(0, 8)}.partial`;
  const encoder = new TextEncoder();
  let file: Deno.FsFile | undefined;
  const close = () => {
    file?.close();
    file = undefined;
  };
  // Registered before the file exists: a signal may come at once.
  const interrupt = onInterrupt(() => {
    close();
    removeIfThere(partial);
  });
  const created = await orFail(path, () => createPrivate(partial)).catch((error) => {
    interrupt.off();
    throw error;
  });
  file = created;
  let isOver = false;
  const end = () => {
    isOver = true;
    interrupt.off();
  };
  return {
    write(piece) {
      try {
        writeWhole(created, typeof piece === "string" ? encoder.encode(piece) : piece);
      } catch (cause) {
        throw failure(path, cause);
      }
    },
    async finish() {
      await orFail(path, () => created.sync());
      await requireFree(path, force);
      close();
      await orFail(path, () => Deno.rename(partial, path));
      end();
    },
    async discard() {
      if (isOver) return;
      end();
      close();
      await Deno.remove(partial);
    },
  };
}

/** Creates a locked file; the lock tells it from the leftover of a killed command. */
async function createPrivate(path: string): Promise<Deno.FsFile> {
  const file = await Deno.open(path, { write: true, createNew: true, mode: 0o600 });
  await file.tryLock(true);
  return file;
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Writes all bytes: a nearly full disk may take only some of them at first. */
export function writeWhole(
  file: { writeSync(bytes: Uint8Array): number },
  bytes: Uint8Array,
): void {
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes.subarray(written));
  }
}

async function requireFree(path: string, force: boolean): Promise<void> {
  let info: Deno.FileInfo;
  try {
    info = await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw failure(path, error);
  }
  if (!info.isFile) {
    throw new CliFailure(`Cannot write "${path}": it exists and is not a regular file`);
  }
  if (!force) {
    throw new CliFailure(`Cannot write "${path}": it exists; --force replaces it`);
  }
}

async function orFail<T>(path: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw failure(path, cause);
  }
}

function failure(path: string, cause: unknown): CliFailure {
  return new CliFailure(`Cannot write "${path}": ${fileErrorText(cause)}`, { cause });
}
