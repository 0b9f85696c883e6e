import type { Catalog, Tier } from "../catalog/catalog.ts";
import type { KeyPolicy } from "./policy.ts";

/** The applicable tier, or why none applies. */
export type TierResolution = { readonly ok: true; readonly tier: Tier } | {
  readonly ok: false;
  readonly message: string;
};

/**
 * Returns the wallet's tier if the policy lists it or lists none, else the highest listed tier
 * below it. A policy never raises a wallet above its own tier.
 */
export function effectiveTier(
  policy: KeyPolicy,
  walletTier: string,
  catalog: Pick<Catalog, "tiers">,
): TierResolution {
  const bought = catalog.tiers.findIndex((tier) => tier.id === walletTier);
  if (bought < 0) {
    return { ok: false, message: `The wallet's tier "${walletTier}" is not in the catalog` };
  }
  for (let rank = bought; rank >= 0; rank--) {
    const tier = catalog.tiers[rank];
    if (tier !== undefined && (policy.tiers?.includes(tier.id) ?? true)) return { ok: true, tier };
  }
  const listed = (policy.tiers ?? []).map((id) => `"${id}"`).join(", ") || "none";
  return {
    ok: false,
    message: `The key's policy allows the tiers ${listed}, ` +
      `none of them at or below the wallet's tier "${walletTier}"`,
  };
}

/** True when a tier may use a model. */
export function tierAllows(tier: Tier, modelId: string): boolean {
  return tier.models === "*" || tier.models.includes(modelId);
}
