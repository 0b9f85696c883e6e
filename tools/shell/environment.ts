import process from "node:process";
import { isPermitted } from "../sandbox/deno_permissions.ts";

/** Variables of the service's environment that a command receives: none that could be a secret. */
const INHERITED = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR"];

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Returns the flags of Deno that running and stopping a command lacks. */
export function missingFlags(): string[] {
  return [
    // Stopping a group needs the permission to run every program.
    isPermitted({ name: "run" }) ? "" : "--allow-run",
    // `node:child_process` reads this variable, whatever environment it is given.
    isPermitted({ name: "env", variable: "NODE_V8_COVERAGE" }) ? "" : "--allow-env",
  ].filter(Boolean);
}

/** Returns the environment of a command. */
export function commandEnvironment(home: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = isPermitted({ name: "env", variable: name }) ? process.env[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const environment: Record<string, string> = Object.fromEntries(inherited);
  return { LANG: "C.UTF-8", ...environment, PATH: absolutePath(environment.PATH), HOME: home };
}

/**
 * Removes relative and empty entries: with them, a file in the workspace could replace a program.
 */
function absolutePath(path = ""): string {
  return path.split(":").filter((entry) => entry.startsWith("/")).join(":") || DEFAULT_PATH;
}
