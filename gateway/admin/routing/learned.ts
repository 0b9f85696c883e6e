import { intervalOf, type Quality } from "../../domain/learning/expected_quality.ts";
import type { EstimateContext } from "../../domain/learning/measured_rates.ts";
import type { RoutingSnapshot, WalletSnapshot } from "../../domain/learning/snapshot.ts";
import { sourcesOf } from "../../domain/routing/auto.ts";
import type { Catalog } from "../../domain/catalog/catalog.ts";
import type { AdminDeps } from "../deps.ts";
import { findWallet } from "../wallets/find_wallet.ts";

/** Returns the facts of a catalog that estimates rest on. */
export function estimateContext({ models, auto }: Catalog): EstimateContext {
  const qualities = new Map(models.map(({ id, quality }) => [id, quality]));
  return { qualityOf: (model) => qualities.get(model), sources: sourcesOf(auto) };
}

/** Returns the wallets of a snapshot, or the one of an id; throws `not_found` for an unknown id. */
export async function walletsIn(
  { wallets }: RoutingSnapshot,
  id: string | undefined,
  deps: Pick<AdminDeps, "ledger">,
): Promise<readonly (readonly [id: string, wallet: WalletSnapshot])[]> {
  if (id === undefined) return [...wallets];
  await findWallet(deps, id);
  const wallet = wallets.get(id);
  return wallet === undefined ? [] : [[id, wallet]];
}

/** Returns an amount of the statistics as a decimal string of credits. */
export function creditsJson(credits: number): string {
  return Math.max(0, credits).toFixed(6);
}

/** Returns a quality with its interval, or `null` where there is none. */
export function qualityJson(quality: Quality | undefined) {
  if (quality === undefined) return null;
  const [low, high] = intervalOf(quality);
  return {
    p: rounded(quality.p),
    error: rounded(quality.error),
    low: rounded(low),
    high: rounded(high),
  };
}

/** Returns a number with four decimal places. */
export function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}

/** Returns a part of a whole, 0 for an empty whole, with four decimal places. */
export function shareOf(part: number, whole: number): number {
  return whole > 0 ? rounded(part / whole) : 0;
}
