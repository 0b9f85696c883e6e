/**
 * The tracer and meter of Deno's own exporter, if `OTEL_DENO=true` switches it on.
 *
 * @module
 */

import type { Context } from "@opentelemetry/api";
import { OtelMetrics } from "./otel_metrics.ts";
import { OtelTracer } from "./otel_tracer.ts";
import type { Sampling } from "./sampler.ts";
import type { Exported } from "./telemetry.ts";

/** Key under which Deno registers its exporter; the package of the API reads it, too. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

const OWN_SPANS =
  "Cannot export with the spans that Deno makes by itself: whole addresses stand in them, with " +
  "signatures and words that are searched for; set OTEL_DENO_TRACING=false, the service makes " +
  "spans of its own";

/**
 * Returns the tracer and meter of the runtime; `undefined` if it exports nothing, and a sentence if
 * it must not begin to.
 */
export async function exportedByRuntime(
  sampling: Sampling,
): Promise<Exported | string | undefined> {
  const registry: unknown = Reflect.get(globalThis, REGISTRY);
  if (typeof registry !== "object" || registry === null) return undefined;
  if ("trace" in registry) return OWN_SPANS;
  return { tracer: await OtelTracer.load(sampling), metrics: await OtelMetrics.load() };
}

/**
 * Writes a line through the console, which Deno copies to its exporter: to standard error,
 * informational lines to standard output.
 */
export function exportLine(
  line: string,
  level: "info" | "warn" | "error",
  context: Context | undefined,
): void {
  // As the only argument its percent signs are no format.
  const write = () => console[level](line);
  if (context === undefined) write();
  else Deno.telemetry.contextManager.with(context, write);
}
