/**
 * The environment variables of this program, and the ones that are set but not read.
 *
 * @module
 */

import { nearestName } from "./nearest_name.ts";
import type { ProcessIo } from "../system/process_io.ts";
import { SERVE_VARIABLES } from "./settings.ts";

/** Variables that the command line reads, beside those that it shares with the service. */
export const COMMAND_VARIABLES: readonly string[] = [
  ...["SERVICE_ADMIN_URL", "SERVICE_ADMIN_TOKEN", "SERVICE_STORE", "SERVICE_KV_PATH"],
  "SERVICE_CREDENTIALS_FILE",
  ...["SERVICE_PUBLIC_URL", "SERVICE_API_KEY", "SERVICE_BACKUP_KEY"],
  "SERVICE_BRIDGE_TOKEN",
];

const PREFIX = "SERVICE_";
/** Prefix for the operator's names, for keys of upstreams. */
const OWN_PREFIX = "SERVICE_UPSTREAM_";

/** Reports on standard error the variables that are set but not read. */
export function tellUnknownVariables({ names, complain }: ProcessIo): void {
  for (const sentence of unknownVariables(names())) complain(`${sentence}\n`);
}

/**
 * Returns a sentence for each unknown name with the prefix of this program's variables, except
 * names for the keys of upstreams.
 */
export function unknownVariables(names: Iterable<string>): string[] {
  const known = [...new Set([...SERVE_VARIABLES, ...COMMAND_VARIABLES])];
  return [...names].toSorted().flatMap((name) => {
    if (!name.startsWith(PREFIX) || name.startsWith(OWN_PREFIX)) return [];
    if (known.includes(name)) return [];
    const near = nearestName(
      name.slice(PREFIX.length),
      known.map((one) => one.slice(PREFIX.length)),
    );
    const isKey = near === undefined && (/_(?:KEY|TOKEN)$/.test(name) || isLikeOwn(name));
    if (isKey) return [`The service cannot read ${name}; name a key ${OWN_PREFIX}…, or grant it`];
    const advice = near === undefined ? "" : `; the nearest is ${PREFIX}${near}`;
    return [`Unknown variable ${name}: it is no setting of svc${advice}`];
  });
}

/** True when a name nearly starts with the prefix for the operator's names. */
function isLikeOwn(name: string): boolean {
  const [word = ""] = name.slice(PREFIX.length).split("_");
  return nearestName(word, ["UPSTREAM"]) !== undefined;
}
