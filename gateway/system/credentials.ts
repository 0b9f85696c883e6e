/**
 * The credentials file beside the store, written at the first start for the command line: address
 * and token of the admin API, readable by their user only.
 *
 * @module
 */

import type { StorePlace } from "./store_place.ts";

/** Address and token of the admin API. */
export interface Credentials {
  readonly url: string;
  readonly token: string;
}

/** Contents of the file. */
interface StoredCredentials extends Credentials {
  /** The token that every start accepts, when `token` was given to one start only. */
  readonly firstToken?: string | undefined;
}

/**
 * Returns the path of the file: the one that the operator named, else the one beside a store that is
 * a file, else `undefined`.
 */
export function credentialsFileOf(place: StorePlace, named?: string): string | undefined {
  return named ?? (place.kind === "kv" ? credentialsPath(place.path) : undefined);
}

/** Returns the path of the file beside a store; `undefined` when the store is no file. */
export function credentialsPath(kvPath: string): string | undefined {
  if (kvPath === ":memory:" || /^https?:/.test(kvPath)) return undefined;
  return `${kvPath}.admin.json`;
}

/** Replaces the file atomically: a reader sees the old one or the new one. */
export async function writeCredentials(
  path: string,
  credentials: StoredCredentials,
): Promise<void> {
  await writeCredentialsText(path, textOf(credentials));
}

/** Writes a text that was read from such a file. */
export async function writeCredentialsText(path: string, text: string): Promise<void> {
  const draft = `${path}.tmp`;
  // Left by a crash with any mode; or a link, which would be followed.
  await Deno.remove(draft).catch(() => {});
  await Deno.writeTextFile(draft, text, { mode: 0o600, createNew: true });
  await Deno.rename(draft, path);
}

/**
 * The file as a running service updates it. It stays open: a serving process may open no file for
 * writing any more, and the admin token can still be replaced.
 */
export class CredentialsFile {
  readonly #path: string | undefined;
  #file: Deno.FsFile | undefined;

  /** `path`: see {@linkcode credentialsPath}; without one nothing is written. */
  constructor(path: string | undefined) {
    this.#path = path;
  }

  /**
   * Updates the file for this start: the address, and the token if one was given. A later start
   * without a given token returns to the first token, the only one that the service still knows.
   * Without any token nothing is written.
   */
  async refresh(
    start: { readonly url: string; readonly adminToken?: string | undefined },
  ): Promise<void> {
    if (this.#path === undefined) return;
    const stored = await readStored(this.#path);
    const firstToken = stored?.firstToken ?? stored?.token;
    const token = start.adminToken ?? firstToken;
    if (token === undefined) return;
    const others = firstToken === undefined || firstToken === token ? {} : { firstToken };
    await writeCredentials(this.#path, { url: start.url, token, ...others });
    this.close();
    this.#file = await Deno.open(this.#path, { read: true, write: true });
  }

  /**
   * Replaces the first token in the file. A token given to this start stays the one to use until a
   * start without one.
   */
  async replaceFirstToken(first: string): Promise<void> {
    if (this.#file === undefined) return;
    // Not from its status, which the process may no longer read.
    const length = await this.#file.seek(0, Deno.SeekMode.End);
    const stored = storedOf(await readFrom(this.#file, length));
    if (stored === undefined) return;
    const { url, token, firstToken } = stored;
    const isGiven = firstToken !== undefined && firstToken !== token;
    const next = isGiven ? { token, firstToken: first } : { token: first };
    // One write over the whole contents, so that no reader sees the end of a longer text.
    await writeTo(this.#file, textOf({ url, ...next }).padEnd(length));
  }

  /** Closes the file. */
  close(): void {
    this.#file?.close();
    this.#file = undefined;
  }
}

/** Reads the file; `undefined` when it does not exist or has no credentials. */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  const stored = await readStored(path);
  return stored && { url: stored.url, token: stored.token };
}

async function readStored(path: string): Promise<StoredCredentials | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  return storedOf(text);
}

function storedOf(text: string): StoredCredentials | undefined {
  const { url, token, firstToken } = fieldsOf(text);
  if (typeof url !== "string" || typeof token !== "string") return undefined;
  return { url, token, ...typeof firstToken === "string" ? { firstToken } : {} };
}

/** Parses a text as far as possible: an unreadable file must not stop a start. */
function fieldsOf(text: string): Partial<Record<keyof StoredCredentials, unknown>> {
  try {
    return Object(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return {};
    throw error;
  }
}

function textOf(credentials: StoredCredentials): string {
  return JSON.stringify(credentials, null, 2) + "\n";
}

/** Reads a number of bytes from the beginning of a file. */
async function readFrom(file: Deno.FsFile, length: number): Promise<string> {
  const bytes = new Uint8Array(length);
  await file.seek(0, Deno.SeekMode.Start);
  const readBytes = await file.read(bytes) ?? 0;
  return new TextDecoder().decode(bytes.subarray(0, readBytes));
}

/** Overwrites a file from its beginning; durable when it resolves. */
async function writeTo(file: Deno.FsFile, text: string): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  await file.seek(0, Deno.SeekMode.Start);
  const writtenBytes = await file.write(bytes);
  if (writtenBytes < bytes.length) {
    throw new Error("Cannot write the credentials: there is no room");
  }
  await file.sync();
}
