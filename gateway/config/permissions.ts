/**
 * What a process that serves may do: checked before anything is opened, so that the operator reads
 * which flags are missing and not which call failed; and given back once it is no longer needed.
 *
 * @module
 */

import { dirname } from "@std/path";
import type { UpstreamConfig } from "../domain/catalog/catalog.ts";
import { credentialsPath } from "../system/credentials.ts";
import type { ServeSettings } from "./settings.ts";

/** Flags of `deno run` that the settings need and that this process was started without. */
export async function missingFlags(
  settings: Pick<ServeSettings, "kvPath" | "configPath">,
): Promise<string[]> {
  const { kvPath, configPath } = settings;
  const needed: Deno.PermissionDescriptor[] = [{ name: "read", path: configPath }];
  if (credentialsPath(kvPath) !== undefined) {
    // The folder: its lock, its log and the credentials stand beside the store. The file by itself
    // as well, which is looked at when reading the folder has been given up.
    const path = dirname(kvPath);
    needed.push({ name: "read", path }, { name: "read", path: kvPath }, { name: "write", path });
  }
  const missing: string[] = [];
  for (const permission of needed) {
    const { state } = await Deno.permissions.query(permission);
    if (state !== "granted") missing.push(flagOf(permission));
  }
  return [...new Set(missing)];
}

/** The sentence for the operator who started without them. */
export function missingFlagsText(flags: readonly string[]): string {
  const words = flags.map((flag) => /[^\w@%+=:,./-]/.test(flag) ? `"${flag}"` : flag).join(" ");
  return `Cannot start without ${words}: the store or the configuration is where the process may ` +
    `not reach; put that into SERVE_OPTIONS for "deno task serve", or after "deno run"`;
}

/**
 * From here on the process writes no file but its store, which is open, and cannot read what its start
 * was told: the configuration and the credentials. Deno takes a folder's permission back with that of
 * a file in it; so files in it that are read later need permissions of their own. Where every file may
 * be read, nothing is taken back.
 *
 * Resolves to the flag without which the store's file can no longer be looked at, if it is missing.
 */
export async function giveUp(
  { kvPath, configPath }: Pick<ServeSettings, "kvPath" | "configPath">,
): Promise<string | undefined> {
  await Deno.permissions.revoke({ name: "write" });
  const credentials = credentialsPath(kvPath);
  await Deno.permissions.revoke({ name: "read", path: configPath });
  if (credentials === undefined) return undefined;
  await Deno.permissions.revoke({ name: "read", path: credentials });
  const store = { name: "read", path: kvPath } as const;
  const { state } = await Deno.permissions.query(store);
  return state === "granted" ? undefined : flagOf(store);
}

/** An upstream whose credentials file this process may not read. */
export interface UnreadableKey {
  /** Its id. */
  readonly upstream: string;
  /** Name of the environment variable that names the file. */
  readonly variable: string;
}

/** The upstreams that cannot be called, because their credentials files may not be read. */
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
