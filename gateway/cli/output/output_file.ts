import { onInterrupt } from "../input/interrupt.ts";
import { fileTrouble } from "../../system/file_trouble.ts";
import { CliFailure } from "../failures.ts";

/** A file that is there once it is complete, and never in part. */
export interface OutputFile {
  /** Appends a text, or bytes. Throws a {@linkcode CliFailure} where the disk is full. */
  write(piece: string | Uint8Array): void;
  /** Makes what was written durable and gives it its name. */
  finish(): Promise<void>;
  /** Takes back what was written; does nothing once it is finished. To be called in any case. */
  discard(): Promise<void>;
}

/**
 * Begins a file beside the one it is to become, readable by its user only. A file of the name that is
 * there already is replaced where `force` is set; what is no regular file never is.
 *
 * @throws {CliFailure} Where it cannot be made, or the name is taken.
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
  // Before there is a file: a signal may come at once.
  const interrupt = onInterrupt(() => {
    close();
    removeIfThere(partial);
  });
  const made = await orFail(path, () => createPrivate(partial)).catch((error) => {
    interrupt.off();
    throw error;
  });
  file = made;
  let isOver = false;
  const end = () => {
    isOver = true;
    interrupt.off();
  };
  return {
    write(piece) {
      try {
        writeWhole(made, typeof piece === "string" ? encoder.encode(piece) : piece);
      } catch (cause) {
        throw failure(path, cause);
      }
    },
    async finish() {
      await orFail(path, () => made.sync());
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

/** The lock tells a file at work from one that a killed command has left. */
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

/** Writes all bytes: a disk that is nearly full may take only some of them at first. */
export function writeWhole(
  file: { writeSync(bytes: Uint8Array): number },
  bytes: Uint8Array,
): void {
  for (let written = 0; written < bytes.length;) {
    written += file.writeSync(bytes.subarray(written));
  }
}

async function requireFree(path: string, force: boolean): Promise<void> {
  let found: Deno.FileInfo;
  try {
    found = await Deno.lstat(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    throw failure(path, error);
  }
  if (!found.isFile) {
    throw new CliFailure(`Cannot write "${path}": it is there and no regular file`);
  }
  if (!force) {
    throw new CliFailure(`Cannot write "${path}": it is there already; --force replaces it`);
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
  return new CliFailure(`Cannot write "${path}": ${fileTrouble(cause)}`, { cause });
}
