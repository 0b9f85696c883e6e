import type { CatalogContent, SearchConfig } from "./catalog.ts";
import type { TraitsOf } from "./provider_traits.ts";

const OFFLINE: SearchConfig = { kind: "offline", pricePerSearch: "0" };

/**
 * Returns the search backend of a catalog: the configured one; else the offline stand-in when all
 * upstreams are simulated. Otherwise none: invented results must not reach a real model.
 */
export function searchInForce(
  { search, upstreams }: Pick<CatalogContent, "search" | "upstreams">,
  traitsOf: TraitsOf,
): SearchConfig | undefined {
  if (search !== undefined) return search;
  return upstreams.every(({ kind }) => traitsOf(kind).isSimulated === true) ? OFFLINE : undefined;
}
