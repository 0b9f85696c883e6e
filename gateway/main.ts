/**
 * The binary `svc`: serves, or speaks to a gateway that does. The only file that reads the
 * environment.
 *
 * @module
 */

import { credentialsPath, readCredentials as readCredentialsFile } from "./service/credentials.ts";
import { CliFailure, ReaderLeft } from "./cli/io.ts";
import { createOutputFile, writeWhole } from "./cli/output_file.ts";
import { runCli } from "./cli/run.ts";
import { tellCrashes } from "./service/crash.ts";
import { observe } from "./service/observation.ts";
import { giveUpWriting, missingFlags, missingFlagsText } from "./service/permissions.ts";
import { parseServeSettings, SERVE_VARIABLES } from "./service/settings.ts";
import { type RunningService, startService } from "./service/start.ts";
import { systemClock } from "./system/clock.ts";
import { createSystemRng } from "./system/rng.ts";
import { readSecret } from "./system/read_secret.ts";

/** How often it is looked whether the store is still ours. */
const LOST_CHECK_MS = 1_000;

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

function environment(names: readonly string[]): Record<string, string | undefined> {
  return Object.fromEntries(names.map((name) => [name, env(name)]));
}

function print(text: string): void {
  writeWhole(Deno.stdout, encoder.encode(text));
}

/** The same for a command, whose output may be a pipe or a file on a full disk. */
function printResult(text: string): void {
  try {
    print(text);
  } catch (cause) {
    if (cause instanceof Deno.errors.BrokenPipe) throw new ReaderLeft("Nobody reads", { cause });
    throw new CliFailure(`Cannot write to standard output: ${explain(cause)}`, { cause });
  }
}

function complain(text: string): void {
  Deno.stderr.writeSync(encoder.encode(text));
}

/** Serves until a signal; resolves to the exit code. */
async function serve(args: readonly string[]): Promise<number> {
  const parsed = parseServeSettings(args, environment(SERVE_VARIABLES));
  if (!parsed.ok) {
    complain(
      `${parsed.problem}\nUsage: svc serve [--port N] [--admin-port N] [--kv-path PATH] …\n`,
    );
    return 2;
  }
  const missing = await missingFlags(parsed.settings);
  if (missing.length > 0) {
    complain(`${missingFlagsText(missing)}\n`);
    return 1;
  }
  const clock = systemClock;
  const rng = createSystemRng(clock);
  const observed = await observe(parsed.settings, { clock, rng, env, complain });
  if (typeof observed === "string") {
    complain(`${observed}\n`);
    return 1;
  }
  const { logger, secrets, telemetry } = observed;
  tellCrashes(logger, () => Deno.exit(1));
  // Listened for from the beginning: a signal may come as soon as the start is printed.
  const ended = untilSignal();
  let service: RunningService;
  try {
    const noteSecret = (secret: string) => secrets.add(secret);
    const deps = { clock, rng, logger, env: observed.env, print, telemetry, noteSecret };
    service = await startService(parsed.settings, deps);
    await giveUpWriting();
  } catch (error) {
    telemetry.close();
    complain(`${secrets.remove(explain(error))}\n`);
    return 1;
  }
  // A writer that has lost its store cannot come back: whoever supervises the process starts another.
  const watch = setInterval(() => {
    if (service.stores.health() !== "lost") return;
    complain("Cannot go on: another process has taken the store\n");
    Deno.exit(1);
  }, LOST_CHECK_MS);
  await ended;
  clearInterval(watch);
  const { inFlight } = service.gateway;
  logger.info("shutting_down", { inFlight: inFlight.count });
  // A second signal cuts the time to finish short.
  void untilSignal().then(() => inFlight.abortAll());
  await service.stop();
  return 0;
}

/** The error's sentence, and its causes', without their stacks. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${explain(error.cause)}`;
}

/** Resolves at the next signal to end. */
function untilSignal(): Promise<void> {
  const signals: Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM"];
  const { promise, resolve } = Promise.withResolvers<void>();
  const onSignal = () => {
    for (const signal of signals) Deno.removeSignalListener(signal, onSignal);
    resolve();
  };
  for (const signal of signals) Deno.addSignalListener(signal, onSignal);
  return promise;
}

function cli(args: readonly string[]): Promise<number> {
  const variables = [
    ...["SERVICE_ADMIN_URL", "SERVICE_ADMIN_TOKEN", "SERVICE_KV_PATH", "NO_COLOR"],
    ...["SERVICE_PUBLIC_URL", "SERVICE_API_KEY", "SERVICE_BACKUP_KEY"],
  ];
  const isTerminal = Deno.stdin.isTerminal() && Deno.stdout.isTerminal();
  return runCli(args, {
    env: environment(variables),
    lookup: env,
    fetch: (url, init) => fetch(url, init),
    stdout: printResult,
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
      const path = credentialsPath(env("SERVICE_KV_PATH") ?? "data/svc.kv");
      return path === undefined ? Promise.resolve(undefined) : readCredentialsFile(path);
    },
  });
}

if (import.meta.main) {
  const [command, ...rest] = Deno.args;
  Deno.exit(
    command === "serve" && !rest.some((flag) => flag === "--help" || flag === "-h")
      ? await serve(rest)
      : await cli(Deno.args),
  );
}
