import process from "node:process";
import { isPermitted } from "../sandbox/deno_permissions.ts";

/** What a command may know of the environment of its service: nothing that could be a secret. */
const INHERITED = ["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR"];

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** The flags of Deno without which no command can be run, and stopped. */
export function missingFlags(): string[] {
  return [
    // Stopping a group needs the permission to run everything.
    isPermitted({ name: "run" }) ? "" : "--allow-run",
    // `node:child_process` looks for this variable, whatever environment it is given.
    isPermitted({ name: "env", variable: "NODE_V8_COVERAGE" }) ? "" : "--allow-env",
  ].filter(Boolean);
}

/** The environment of a command. */
export function commandEnvironment(home: string): Record<string, string> {
  const inherited = INHERITED.flatMap((name) => {
    const value = isPermitted({ name: "env", variable: name }) ? process.env[name] : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const environment: Record<string, string> = Object.fromEntries(inherited);
  return { LANG: "C.UTF-8", ...environment, PATH: absolutePath(environment.PATH), HOME: home };
}

/** A relative or empty entry would let a file in the workspace stand in for a program. */
function absolutePath(path = ""): string {
  return path.split(":").filter((entry) => entry.startsWith("/")).join(":") || DEFAULT_PATH;
}
