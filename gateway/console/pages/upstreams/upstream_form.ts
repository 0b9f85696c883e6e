import type { CatalogUpstream } from "../catalog/content.ts";
import { entryFrom, type EntryShape } from "../catalog/field_values.ts";

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

/** Limits of time. */
export const TIMEOUTS = ["connectMs", "firstByteMs", "idleMs"] as const;

/** The fields of an upstream. A key that is kept in the catalog is none: it stays, or is forgotten. */
export const UPSTREAM_SHAPE: EntryShape = {
  texts: ["kind", "provider", "baseUrl", "onDisconnect", ...VARIABLES, ...PLACES],
  numbers: ["maxInFlight", ...TIMEOUTS.map((name) => `timeouts.${name}`)],
  objects: ["timeouts"],
};

/** Returns the upstream that a form describes, for the operator's API to check. */
export function upstreamOf(
  fields: URLSearchParams,
  before?: CatalogUpstream,
): Record<string, unknown> & { readonly id: string } {
  const { apiKey, ...upstream } = entryFrom(fields, UPSTREAM_SHAPE, before);
  return { ...upstream, ...apiKey === undefined || fields.has("forgetKey") ? {} : { apiKey } };
}
