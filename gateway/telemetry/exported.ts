/**
 * What Deno's own exporter is given, where it was switched on by `OTEL_DENO=true`.
 *
 * @module
 */

import type { Context } from "@opentelemetry/api";
import { OtelMetrics } from "./otel_metrics.ts";
import { OtelTracer } from "./otel_tracer.ts";
import type { Sampling } from "./sampler.ts";
import type { Exported } from "./telemetry.ts";

/** Where Deno registers what it exports; the API's package looks there, too. */
const REGISTRY = Symbol.for("opentelemetry.js.api.1");

const OWN_SPANS =
  "Cannot export with the spans that Deno makes by itself: whole addresses stand in them, with " +
  "signatures and words that are searched for; set OTEL_DENO_TRACING=false, the service makes " +
  "spans of its own";

/**
 * Tracer and meter of the runtime; `undefined` where it exports nothing, and a sentence where it must
 * not begin to.
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
 * Writes a line by the console, which Deno copies to its exporter: to standard error, lines that only
 * inform to standard output.
 */
export function exportLine(
  line: string,
  level: "info" | "warn" | "error",
  context: Context | undefined,
): void {
  // The only argument: its percent signs stand for themselves.
  const write = () => console[level](line);
  if (context === undefined) write();
  else Deno.telemetry.contextManager.with(context, write);
}
