/**
 * The binary `svc`: serves, or runs a command against a running gateway. It is the only file that
 * reads the environment. Each half is loaded when it is needed: a service does not use the command
 * line, and a command does not wait for the code of the service.
 *
 * @module
 */

import { writeWhole } from "./cli/output/output_file.ts";
import type { ProcessIo } from "./system/process_io.ts";

const encoder = new TextEncoder();

/** Returns an environment variable; one that may not be read counts as absent. */
function env(name: string): string | undefined {
  try {
    return Deno.env.get(name);
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return undefined;
    throw error;
  }
}

/** Returns the names of all variables; a process that may read only some cannot list them. */
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

/**
 * Writes to standard error. A line that cannot be written is lost: a full disk, or a reader that is
 * gone, must not end the service.
 */
function complain(text: string): void {
  try {
    writeWhole(Deno.stderr, encoder.encode(text));
  } catch {
    // No other output remains for the message.
  }
}

/** Runs a command; resolves to its exit code. */
async function run(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  const io: ProcessIo = { env, names, print, complain };
  if (command === "variables") {
    // A step of the task `serve`, in a separate process: the service may not list variables.
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
