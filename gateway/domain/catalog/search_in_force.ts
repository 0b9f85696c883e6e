import type { CatalogContent, SearchConfig } from "./catalog.ts";

const OFFLINE: SearchConfig = { kind: "offline", pricePerSearch: "0" };

/**
 * Where hosted web search asks under a catalog: what it names; else the offline stand-in where
 * everything else is simulated too; else nowhere, since made-up results must not meet a real model.
 */
export function searchInForce(
  { search, upstreams }: Pick<CatalogContent, "search" | "upstreams">,
): SearchConfig | undefined {
  if (search !== undefined) return search;
  return upstreams.every((upstream) => upstream.kind === "simulator") ? OFFLINE : undefined;
}
