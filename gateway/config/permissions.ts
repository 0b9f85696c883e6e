/**
 * Permissions of a process that serves: checked before anything is opened, so that the operator
 * reads which flags are missing and not which call failed; and revoked once they are no longer
 * needed.
 *
 * @module
 */

import { dirname } from "@std/path";
import type { UpstreamConfig } from "../domain/catalog/catalog.ts";
import { credentialsFileOf, credentialsPath } from "../system/credentials.ts";
import type { StorePlace } from "../system/store_place.ts";
import type { ServeSettings } from "./settings.ts";

/** The settings that name files. */
type PlaceSettings = Pick<ServeSettings, "store" | "configPath" | "credentialsFile">;

/** Returns the flags of `deno run` that the settings need and the process lacks. */
export async function missingFlags(
  settings: PlaceSettings,
): Promise<string[]> {
  const { store, configPath, credentialsFile } = settings;
  const needed: Deno.PermissionDescriptor[] = [{ name: "read", path: configPath }];
  const file = storeFileOf(store);
  if (file !== undefined) {
    // The folder holds the store's lock, its log and the credentials. The file is named too,
    // because it is read after the permission for the folder is revoked.
    const path = dirname(file);
    needed.push({ name: "read", path }, { name: "read", path: file }, { name: "write", path });
  }
  if (credentialsFile !== undefined) {
    const path = dirname(credentialsFile);
    needed.push({ name: "read", path }, { name: "write", path });
  }
  const missing: string[] = [];
  for (const permission of needed) {
    const { state } = await Deno.permissions.query(permission);
    if (state !== "granted") missing.push(flagOf(permission));
  }
  return [...new Set(missing)];
}

/** Returns the message for the operator. */
export function missingFlagsText(flags: readonly string[]): string {
  const words = flags.map((flag) => /[^\w@%+=:,./-]/.test(flag) ? `"${flag}"` : flag).join(" ");
  return `Cannot start without ${words}: the store or the configuration is where the process may ` +
    `not reach; put that into SERVE_OPTIONS for "deno task serve", or after "deno run"`;
}

/**
 * Revokes the permission to write files other than the open store, and to read the configuration
 * and the credentials. Deno revokes a folder's permission with that of a file in it, so files that
 * are read later need separate permissions. Where every file may be read, nothing is revoked.
 *
 * Resolves to the flag that is missing to read the store's file later, if any.
 */
export async function giveUp(
  { store, configPath, credentialsFile }: PlaceSettings,
): Promise<string | undefined> {
  await Deno.permissions.revoke({ name: "write" });
  const credentials = credentialsFileOf(store, credentialsFile);
  await Deno.permissions.revoke({ name: "read", path: configPath });
  if (credentials !== undefined) await Deno.permissions.revoke({ name: "read", path: credentials });
  const path = storeFileOf(store);
  if (path === undefined) return undefined;
  const file = { name: "read", path } as const;
  const { state } = await Deno.permissions.query(file);
  return state === "granted" ? undefined : flagOf(file);
}

/** Returns the file of a store that is one. */
function storeFileOf(store: StorePlace): string | undefined {
  return store.kind === "kv" && credentialsPath(store.path) !== undefined ? store.path : undefined;
}

/** An upstream whose credentials file this process may not read. */
export interface UnreadableKey {
  /** Id of the upstream. */
  readonly upstream: string;
  /** Name of the environment variable that names the file. */
  readonly variable: string;
}

/** Returns the upstreams that cannot be called, because their credentials files may not be read. */
export function unreadableKeys(
  upstreams: readonly Pick<UpstreamConfig, "id" | "credentialsFileEnv">[],
  env: (name: string) => string | undefined,
): UnreadableKey[] {
  return upstreams.flatMap(({ id, credentialsFileEnv }) => {
    const path = credentialsFileEnv === undefined ? undefined : env(credentialsFileEnv);
    if (credentialsFileEnv === undefined || !path) return [];
    const { state } = Deno.permissions.querySync({ name: "read", path });
    return state === "granted" ? [] : [{ upstream: id, variable: credentialsFileEnv }];
  });
}

function flagOf(permission: Deno.PermissionDescriptor): string {
  const path = "path" in permission ? permission.path : undefined;
  return `--allow-${permission.name}${path === undefined ? "" : `=${path}`}`;
}
