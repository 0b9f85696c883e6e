/**
 * The variables that are this program's own: which there are, and which a start was given in vain.
 *
 * @module
 */

import { nearestName } from "../config/nearest_name.ts";
import type { ProcessIo } from "../system/process_io.ts";
import { SERVE_VARIABLES } from "./settings.ts";

/** Those that the command line reads, beside what it shares with the service. */
export const COMMAND_VARIABLES: readonly string[] = [
  ...["SERVICE_ADMIN_URL", "SERVICE_ADMIN_TOKEN", "SERVICE_KV_PATH"],
  ...["SERVICE_PUBLIC_URL", "SERVICE_API_KEY", "SERVICE_BACKUP_KEY"],
];

const PREFIX = "SERVICE_";

/** Says on standard error which variables the operator has set in vain. */
export function tellUnknownVariables({ names, complain }: ProcessIo): void {
  for (const sentence of unknownVariables(names())) complain(`${sentence}\n`);
}

/**
 * A sentence for each name that begins as this program's variables do and is none of them, nor one that
 * a configuration may name for a provider's key: those end in `_KEY` or `_TOKEN`, and are near no name
 * of ours.
 */
export function unknownVariables(names: Iterable<string>): string[] {
  const known = [...new Set([...SERVE_VARIABLES, ...COMMAND_VARIABLES])];
  return [...names].toSorted().flatMap((name) => {
    if (!name.startsWith(PREFIX) || known.includes(name)) return [];
    const near = nearestName(
      name.slice(PREFIX.length),
      known.map((one) => one.slice(PREFIX.length)),
    );
    if (near === undefined && /_(?:KEY|TOKEN)$/.test(name)) return [];
    const advice = near === undefined ? "" : `; the nearest is ${PREFIX}${near}`;
    return [`Unknown variable ${name}: it is no setting of svc${advice}`];
  });
}
