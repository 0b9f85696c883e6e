/**
 * The binary `svc`: serves, or speaks to a gateway that does. The only file that reads the
 * environment. Either half is loaded when it is called: a service has no use for the command line,
 * and a command need not wait for the service's code.
 *
 * @module
 */

import { writeWhole } from "./cli/output/output_file.ts";
import type { ProcessIo } from "./system/process_io.ts";

const encoder = new TextEncoder();

/** An environment variable; one that may not be read counts as absent. */
function env(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** Names of all variables; a process that may read some alone cannot list them. */
function names(): readonly string[] {
  try {
    return Object.keys(Deno.env.toObject());
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return [];
    throw error;
  }
}

function print(text: string): void {
  writeWhole(Deno.stdout, encoder.encode(text));
}

/** A line that nobody takes is lost: a full disk, or a reader that has gone, must not end the service. */
function complain(text: string): void {
  try {
    writeWhole(Deno.stderr, encoder.encode(text));
  } catch {
    // There is no other place to say it.
  }
}

/** Runs a command; resolves to its exit code. */
async function run(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  const io: ProcessIo = { env, names, print, complain };
  if (command === "variables") {
    // A step of the task `serve`, by a process of its own: the service may not list variables.
    const { tellUnknownVariables } = await import("./config/variables.ts");
    tellUnknownVariables(io);
    return 0;
  }
  if (command === "serve" && !rest.some((flag) => flag === "--help" || flag === "-h")) {
    const { serve } = await import("./service/serve.ts");
    return await serve(rest, io);
  }
  const { runOnTerminal } = await import("./cli/terminal.ts");
  return await runOnTerminal(args, io);
}

if (import.meta.main) Deno.exit(await run(Deno.args));
