/**
 * What the first start leaves beside the store for the command line: the admin's address and token,
 * readable by their user only.
 *
 * @module
 */

/** Where the admin API is and how to get in. */
export interface Credentials {
  readonly url: string;
  readonly token: string;
}

/** The file beside a store; `undefined` where the store is no file. */
export function credentialsPath(kvPath: string): string | undefined {
  if (kvPath === ":memory:" || /^https?:/.test(kvPath)) return undefined;
  return `${kvPath}.admin.json`;
}

/** Writes the file as a whole: a reader sees the old one or the new one. */
export async function writeCredentials(path: string, credentials: Credentials): Promise<void> {
  const draft = `${path}.tmp`;
  await Deno.writeTextFile(draft, JSON.stringify(credentials, null, 2) + "\n", { mode: 0o600 });
  // The mode applies to a new file only; a draft left by a crash may have another.
  if (Deno.build.os !== "windows") await Deno.chmod(draft, 0o600);
  await Deno.rename(draft, path);
}

/** Reads the file; `undefined` where there is none, or it holds no credentials. */
export async function readCredentials(path: string): Promise<Credentials | undefined> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
  const value: unknown = JSON.parse(text);
  const { url, token } = value as Partial<Credentials>;
  return typeof url === "string" && typeof token === "string" ? { url, token } : undefined;
}
