import { join } from "@std/path";
import { configuration } from "./configuration.ts";
import { asTask, type Running, start } from "./process.ts";
import type { SideBySide } from "./side_by_side.ts";

/** A measurement of gateways with stores of their own, and its processes. */
export interface SideGateway extends SideBySide {
  readonly folder: string;
  readonly key: string;
}

/** Starts a gateway with the permissions of the task, on a store file of its own. */
export async function startSide(
  { folder, key }: Pick<SideGateway, "folder" | "key">,
  { name, upstreamUrl, args = [] }: {
    readonly name: string;
    readonly upstreamUrl: string;
    readonly args?: readonly string[];
  },
): Promise<Running> {
  const config = join(folder, `${name}.json`);
  await Deno.writeTextFile(config, configuration(upstreamUrl));
  const { flags, env } = await asTask();
  return start("gateway/main.ts", [
    ...["serve", "--port", "0", "--admin-port", "0", "--config", config, "--bootstrap-key", key],
    ...["--kv-path", join(folder, `${name}.kv`), ...args],
  ], { flags, env });
}
