/**
 * The command line in its process: the environment of {@linkcode runCli}.
 *
 * @module
 */

import { credentialsFileOf, readCredentials } from "../system/credentials.ts";
import { storeNamesIn, storePlaceOf } from "../system/store_place.ts";
import { COMMAND_VARIABLES } from "../config/variables.ts";
import type { ProcessIo } from "../system/process_io.ts";
import { readSecret } from "../system/read_secret.ts";
import { reasonOf } from "../system/reason.ts";
import { CliFailure, OutputClosed } from "./failures.ts";
import { createOutputFile } from "./output/output_file.ts";
import { runCli } from "./run.ts";

const VARIABLES: readonly string[] = [...COMMAND_VARIABLES, "NO_COLOR"];

/** Runs one command in this process. Resolves to the exit code of {@linkcode runCli}. */
export function runOnTerminal(
  args: readonly string[],
  { env, print, complain }: ProcessIo,
): Promise<number> {
  const isTerminal = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
  return runCli(args, {
    env: Object.fromEntries(VARIABLES.map((name) => [name, env(name)])),
    lookup: env,
    fetch: (url, init) => fetch(url, init),
    stdout: (text) => printResult(text, print),
    stderr: complain,
    createFile: createOutputFile,
    readFile: (path) => Deno.readTextFile(path),
    readBytes: (path) => Deno.readFile(path),
    isTerminal,
    columns: isTerminal ? Deno.consoleSize().columns : 80,
    progressColumns: Deno.stderr.isTerminal() ? Deno.consoleSize().columns : undefined,
    confirm: (question) => Promise.resolve(confirm(question)),
    readSecret: (question) => readSecret(question, complain),
    readCredentials: () => {
      const place = storePlaceOf(storeNamesIn(env));
      if (typeof place === "string") throw new CliFailure(place);
      const path = credentialsFileOf(place, env("SERVICE_CREDENTIALS_FILE") || undefined);
      return path === undefined ? Promise.resolve(undefined) : readCredentials(path);
    },
  });
}

/** Prints a result; standard output may be a closed pipe, or a file on a full disk. */
function printResult(text: string, print: (text: string) => void): void {
  try {
    print(text);
  } catch (cause) {
    if (cause instanceof Deno.errors.BrokenPipe) {
      throw new OutputClosed("The reader has closed", { cause });
    }
    throw new CliFailure(`Cannot write to standard output: ${reasonOf(cause)}`, { cause });
  }
}
