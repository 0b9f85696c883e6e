import type { UpstreamConfig } from "../domain/catalog/catalog.ts";
import { PROVIDERS } from "../upstreams/providers/provider_kinds.ts";
import type { PriceSource } from "./list_price.ts";

/** Returns the place of an upstream's models in the price list, at a Unix time in milliseconds. */
export function priceSourceOf(
  upstream: Pick<UpstreamConfig, "kind" | "baseUrl"> | undefined,
  nowMs: number,
): PriceSource {
  if (upstream === undefined) return { nowMs };
  const { baseUrl, kind } = upstream;
  const provider = PROVIDERS.find(({ defaultBaseUrl, kind: own, priceList }) =>
    priceList?.byAddress === true ? baseUrl === defaultBaseUrl : own === kind
  );
  return { providerId: provider?.priceList?.id, baseUrl, nowMs };
}
