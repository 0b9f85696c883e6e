/**
 * An upstream as the fields of a form, and back. A key that is kept in the catalog is no field: it stays,
 * or is forgotten.
 *
 * @module
 */

import type { CatalogUpstream } from "../catalog/content.ts";
import { numberFrom, textsOf } from "../catalog/field_values.ts";

/** Names of environment variables. */
export const VARIABLES = [
  "apiKeyEnv",
  "credentialsFileEnv",
  "accessKeyIdEnv",
  "secretAccessKeyEnv",
  "sessionTokenEnv",
] as const;

/** Settings of an upstream's location besides its address. */
export const PLACES = ["region", "project", "resourceName", "apiVersion"] as const;

const TEXTS = ["kind", "provider", "baseUrl", "onDisconnect", ...VARIABLES, ...PLACES] as const;
/** Limits of time. */
export const TIMEOUTS = ["connectMs", "firstByteMs", "idleMs"] as const;

/** The fields of an upstream. */
export function upstreamFields(upstream: CatalogUpstream): URLSearchParams {
  const fields = new URLSearchParams({ maxInFlight: String(upstream.maxInFlight) });
  for (const name of TEXTS) {
    const value = upstream[name];
    if (typeof value === "string") fields.set(name, value);
  }
  for (const name of TIMEOUTS) {
    fields.set(`timeouts.${name}`, String(upstream.timeouts[name] ?? ""));
  }
  return fields;
}

/**
 * Returns the upstream that a form describes, for the operator's API to check; empty fields are left
 * out.
 */
export function upstreamOf(
  fields: URLSearchParams,
  before?: CatalogUpstream,
): Record<string, unknown> & { readonly id: string } {
  const known = new Set<string>([...TEXTS, "timeouts", "maxInFlight"]);
  if (fields.has("forgetKey")) known.add("apiKey");
  const otherFields = Object.entries(before ?? {}).filter(([name]) => !known.has(name));
  const timeouts = TIMEOUTS.map((name) =>
    [name, numberFrom(fields.get(`timeouts.${name}`) ?? "")] as const
  );
  const maxInFlight = numberFrom(fields.get("maxInFlight") ?? "");
  return {
    ...Object.fromEntries(otherFields),
    ...textsOf(fields, TEXTS),
    id: before?.id ?? fields.get("id")?.trim() ?? "",
    ...(maxInFlight === undefined ? {} : { maxInFlight }),
    timeouts: Object.fromEntries(timeouts.filter(([, value]) => value !== undefined)),
  };
}
