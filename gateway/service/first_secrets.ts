/**
 * Delivers the secrets of a first start to the operator: on a terminal, otherwise in files beside
 * the store, so that neither a log nor a pipe contains one. Secrets that the operator provided are
 * not repeated.
 *
 * @module
 */

import { dirname, join } from "@std/path";
import { credentialsFileOf } from "../system/credentials.ts";
import type { FirstSecrets } from "./first_start.ts";
import type { ServeSettings } from "../config/settings.ts";

/** The place of a secret. */
export type SecretPlace =
  | { readonly kind: "printed"; readonly secret: string }
  | { readonly kind: "file"; readonly path: string }
  | { readonly kind: "given"; readonly variable: string };

/** The places of both secrets of a first start. */
export interface SecretPlaces {
  readonly key: SecretPlace;
  readonly adminToken: SecretPlace;
}

/** Name of the key's file, in the folder of the store. */
const KEY_FILE = "first.key";

/** Maximum numbered files of that name in one folder. */
const FILES_MAX = 1_000;

/** The settings that decide the places of secrets. */
type SecretSettings = Pick<
  ServeSettings,
  "store" | "credentialsFile" | "adminToken" | "bootstrapKey"
>;

/**
 * Throws if a first start would have no place for its secrets. A database outlives its instances, so
 * a secret that only a log has seen would be lost, or worse, kept there.
 */
export function requirePlaceForSecrets(
  { store, credentialsFile, adminToken, bootstrapKey }: SecretSettings,
  { isTerminal }: { readonly isTerminal: boolean },
): void {
  const isPlaced = isTerminal || credentialsFile !== undefined ||
    (adminToken !== undefined && bootstrapKey !== undefined);
  if (store.kind === "kv" || isPlaced) return;
  throw new Error(
    "Cannot start for the first time without a place for the first key and the admin token: give " +
      "SERVICE_BOOTSTRAP_KEY and SERVICE_ADMIN_TOKEN, or name a file for them by " +
      "--credentials-file (SERVICE_CREDENTIALS_FILE), or start on a terminal",
  );
}

/**
 * Decides the place of each secret, and writes the file of the key if that is its place. The
 * credentials file contains the admin token by then. A store that is no file has no folder: its
 * secrets are always printed.
 */
export async function placeSecrets(
  { key, adminToken }: FirstSecrets,
  settings: SecretSettings,
  options: { readonly isTerminal: boolean },
): Promise<SecretPlaces> {
  const { store, credentialsFile } = settings;
  const credentials = options.isTerminal ? undefined : credentialsFileOf(store, credentialsFile);
  const place = async (secret: string, keep: (path: string) => Promise<string>) =>
    credentials === undefined
      ? { kind: "printed", secret } as const
      : { kind: "file", path: await keep(credentials) } as const;
  return {
    key: settings.bootstrapKey === undefined
      ? await place(key, (path) => writeKey(dirname(path), key))
      : { kind: "given", variable: "SERVICE_BOOTSTRAP_KEY" },
    adminToken: settings.adminToken === undefined
      ? await place(adminToken, (path) => Promise.resolve(path))
      : { kind: "given", variable: "SERVICE_ADMIN_TOKEN" },
  };
}

/**
 * Writes a new file that only this user can read. An existing file is not replaced: it may belong
 * to another store.
 */
async function writeKey(folder: string, key: string): Promise<string> {
  for (let number = 1; number <= FILES_MAX; number++) {
    const path = join(folder, number === 1 ? KEY_FILE : `${KEY_FILE}.${number}`);
    try {
      await Deno.writeTextFile(path, `${key}\n`, { mode: 0o600, createNew: true });
      return path;
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
  throw new Error(`Cannot store the first key in "${folder}": remove its files "${KEY_FILE}…"`);
}
