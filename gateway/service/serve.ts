/**
 * The command `svc serve`, from its settings to the last request.
 *
 * @module
 */

import { systemClock } from "../system/clock.ts";
import { afterMs } from "../system/deadlines.ts";
import type { ProcessIo } from "../system/process_io.ts";
import type { Logger } from "../ports/logger.ts";
import { reasonOf } from "../system/reason.ts";
import { createSystemRng } from "../system/rng.ts";
import { logCrashes } from "./crash.ts";
import { observe } from "./observation.ts";
import { giveUp, missingFlags, missingFlagsText } from "../config/permissions.ts";
import { parseServeSettings, SERVE_VARIABLES, type ServeSettings } from "../config/settings.ts";
import { drainMsOf, type RunningService, startService } from "./start.ts";
import { tellUnknownVariables } from "../config/variables.ts";

/** Time between two checks that this process still owns the store, in milliseconds. */
const LOST_CHECK_MS = 1_000;

/**
 * Serves until a signal. Resolves to the exit code: 0, 1 if it cannot serve, 2 if the arguments are
 * invalid.
 */
export async function serve(args: readonly string[], io: ProcessIo): Promise<number> {
  const { env, print, complain } = io;
  tellUnknownVariables(io);
  const variables = Object.fromEntries(SERVE_VARIABLES.map((name) => [name, env(name)]));
  const parsed = parseServeSettings(args, variables);
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
  logCrashes(logger, () => Deno.exit(1));
  // The handler is registered first: a signal may come as soon as the start is printed.
  const ended = untilSignal();
  let service: RunningService;
  try {
    const noteSecret = (secret: string) => secrets.add(secret);
    const isTerminal = Deno.stdout.isTerminal();
    service = await startService(parsed.settings, {
      ...{ clock, rng, logger, env: observed.env, print, isTerminal, telemetry, noteSecret },
    });
    await giveUpRights(parsed.settings, logger);
    service.recheckUpstreams();
  } catch (error) {
    telemetry.close();
    complain(`${secrets.remove(reasonOf(error))}\n`);
    return 1;
  }
  // A writer that has lost its store cannot recover: the supervisor starts another process.
  const callOffWatch = every(LOST_CHECK_MS, () => {
    if (service.stores.health() !== "lost") return;
    complain("Cannot continue: another process has taken over the store\n");
    Deno.exit(1);
  });
  await ended;
  callOffWatch();
  const { inFlight } = service.gateway;
  logger.info("shutting_down", { inFlight: inFlight.count });
  // A second signal ends the drain and the grace period.
  const hurry = new AbortController();
  void untilSignal().then(() => {
    hurry.abort();
    inFlight.abortAll();
  });
  await service.stop({ drainMs: drainMsOf(parsed.settings), hurry: hurry.signal });
  return 0;
}

/**
 * Revokes permissions that only the start needs, and warns if the file of the store cannot be
 * watched then.
 */
async function giveUpRights(settings: ServeSettings, logger: Logger): Promise<void> {
  const flag = await giveUp(settings);
  if (flag === undefined) return;
  const message = `The store's file is not watched: add ${flag} to the start`;
  logger.warn("store_not_watched", { message });
}

/**
 * Runs a function every so many milliseconds until the returned function is called. One deadline is
 * then always pending, so that the timer of all deadlines runs on from one request to the next:
 * starting and ending it for each would cost a hundredth of a request.
 */
function every(ms: number, run: () => void): () => void {
  let callOff = () => {};
  const again = () => {
    callOff = afterMs(ms, again);
    run();
  };
  callOff = afterMs(ms, again);
  return () => callOff();
}

/** Resolves at the next signal to stop. */
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
