import { CliFailure } from "./io.ts";

/** A file that is there once it is complete, and never in part. */
export interface OutputFile {
  /** Appends a text. Throws a {@linkcode CliFailure} where the disk is full. */
  write(text: string): void;
  /** Makes what was written durable and gives it its name. */
  finish(): Promise<void>;
  /** Takes back what was written; does nothing once it is finished. To be called in any case. */
  discard(): Promise<void>;
}

const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows"
  ? ["SIGINT"]
  : ["SIGINT", "SIGTERM", "SIGHUP"];
const INTERRUPTED = 130;

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
  const options = { write: true, createNew: true, mode: 0o600 };
  const file = await orFail(path, () => Deno.open(partial, options));
  const encoder = new TextEncoder();
  let isOver = false;
  let isOpen = true;
  const close = () => {
    if (isOpen) file.close();
    isOpen = false;
  };
  const end = () => {
    isOver = true;
    for (const signal of SIGNALS) Deno.removeSignalListener(signal, onSignal);
  };
  const onSignal = () => {
    close();
    Deno.removeSync(partial);
    Deno.exit(INTERRUPTED);
  };
  for (const signal of SIGNALS) Deno.addSignalListener(signal, onSignal);
  return {
    write(text) {
      try {
        writeWhole(file, encoder.encode(text));
      } catch (cause) {
        throw failure(path, cause);
      }
    },
    async finish() {
      await orFail(path, () => file.sync());
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
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CliFailure(`Cannot write "${path}": ${reason}`, { cause });
}
