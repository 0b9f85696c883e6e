import type { Temporal } from "temporal-polyfill";
import { ToolError } from "../tool.ts";

/** The namespace `Temporal`. */
export type TemporalApi = typeof Temporal;

/** A date and time of day in a zone. */
export type Moment = Temporal.ZonedDateTime;

/** A duration, such as one month and two days. */
export type Duration = Temporal.Duration;

/** Returns the host's own `Temporal`, or a polyfill for hosts without one, such as Node 20. */
export async function loadTemporal(): Promise<TemporalApi> {
  const own: TemporalApi | undefined = Reflect.get(globalThis, "Temporal");
  return own ?? (await import("temporal-polyfill")).Temporal;
}

/**
 * Runs a computation with dates; a refusal of `Temporal` becomes an error that the model can act
 * on.
 */
export function attempt<Result>(failure: string, run: () => Result): Result {
  try {
    return run();
  } catch (cause) {
    if (!(cause instanceof RangeError) && !(cause instanceof TypeError)) throw cause;
    throw new ToolError(failure, { code: "invalid_datetime", cause });
  }
}
