/**
 * The observation of a service: its log without secrets, its metrics, its traces.
 *
 * @module
 */

import type { Clock } from "../ports/clock.ts";
import type { Rng } from "../ports/rng.ts";
import type { Logger } from "../ports/logger.ts";
import { createJsonLogger } from "../system/logger.ts";
import { Secrets } from "../system/secrets.ts";
import { secretsIn } from "../system/store_place.ts";
import { exportedByRuntime, exportLine } from "../telemetry/exported.ts";
import { Telemetry } from "../telemetry/telemetry.ts";
import type { ServeSettings } from "../config/settings.ts";

/** The log, metrics and traces of a service, before it starts. */
export interface Observation {
  readonly telemetry: Telemetry;
  readonly logger: Logger;
  readonly secrets: Secrets;
  /**
   * Returns an environment variable, and removes its value from the log if it is a key of an
   * upstream or a search.
   */
  readonly env: (name: string) => string | undefined;
}

/**
 * Returns the observation of a service, or a sentence if the runtime would export data that it must
 * not.
 */
export async function observe(
  settings: ServeSettings,
  machine: {
    readonly clock: Clock;
    readonly rng: Rng;
    readonly env: (name: string) => string | undefined;
    /** Writes to standard error. */
    readonly complain: (text: string) => void;
  },
): Promise<Observation | string> {
  const { clock, complain, env, rng } = machine;
  const secrets = secretsOf(settings);
  const exported = await exportedByRuntime({
    ratio: settings.traceRatio,
    random: () => rng.next(),
    monotonicMs: () => clock.monotonicMs(),
  });
  if (typeof exported === "string") return exported;
  const telemetry = new Telemetry(exported);
  const logger = createJsonLogger({
    clock,
    removeSecrets: (text) => secrets.remove(text),
    fieldsOf: (requestId) => exported?.tracer.idsOf(requestId),
    write: (line, { level, event, requestId = "" }) => {
      telemetry.metrics.logged(level, event);
      if (exported === undefined) complain(`${line}\n`);
      else exportLine(line, level, exported.tracer.contextOf(requestId));
    },
  });
  // The driver of PostgreSQL reads it by itself.
  secrets.add(env("PGPASSWORD"));
  const noting = (name: string) => {
    const value = env(name);
    secrets.add(value);
    return value;
  };
  return { telemetry, logger, secrets, env: noting };
}

function secretsOf(settings: ServeSettings): Secrets {
  const secrets = new Secrets();
  const { adminToken, bootstrapKey, keyPepper, keyPepperPrevious, metricsToken } = settings;
  for (const secret of [adminToken, bootstrapKey, keyPepper, keyPepperPrevious, metricsToken]) {
    secrets.add(secret);
  }
  for (const secret of secretsIn(settings.store)) secrets.add(secret);
  return secrets;
}
