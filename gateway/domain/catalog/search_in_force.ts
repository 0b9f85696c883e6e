import type { CatalogContent, SearchConfig } from "./catalog.ts";
import type { TraitsOf } from "./provider_traits.ts";

const OFFLINE: SearchConfig = { kind: "offline", pricePerSearch: "0" };

/**
 * Where hosted web search asks under a catalog: what it names; else the offline stand-in where
 * everything else is simulated too; else nowhere, since made-up results must not meet a real model.
 */
export function searchInForce(
  { search, upstreams }: Pick<CatalogContent, "search" | "upstreams">,
  traitsOf: TraitsOf,
): SearchConfig | undefined {
  if (search !== undefined) return search;
  return upstreams.every(({ kind }) => traitsOf(kind).isSimulated === true) ? OFFLINE : undefined;
}
