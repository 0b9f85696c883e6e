/**
 * The initial state of a run: models at two upstreams, wallets that are soon empty, keys of several
 * kinds. Prices are so odd that every charge needs rounding.
 *
 * @module
 */

import type {
  CatalogContent,
  Model,
  Tier,
  UpstreamConfig,
} from "../../gateway/domain/catalog/catalog.ts";
import type { KeyPolicy } from "../../gateway/domain/policy/policy.ts";

/** Number of wallets. */
export const WALLETS = 4;
/** Number of initial keys. */
export const KEYS = 7;

/** Tiers of the wallets, by their numbers. */
export const TIERS = ["basic", "standard", "standard", "standard"] as const;
/** Initial credits of the wallets, in micros. */
export const FUNDS = [400n, 1_200n, 40_000n, 23_000n] as const;

/** An initial key. */
export interface FoundedKey {
  readonly wallet: number;
  readonly policy: KeyPolicy;
  /** Budget, in micros. */
  readonly budget?: bigint;
  /** Budgets of names in total, in micros. */
  readonly named?: Readonly<Record<string, bigint>>;
  /** Maximum cost of one request, in micros. */
  readonly cap?: bigint;
}

/** The initial keys, by their numbers. */
export const FOUNDED_KEYS: readonly FoundedKey[] = [
  { wallet: 0, policy: {} },
  {
    wallet: 1,
    policy: {
      budgets: [{ user: "ann", total: "0.000350" }, {
        tag: "team=a",
        month: "9",
        total: "0.000500",
      }],
    },
    named: { "user:ann": 350n, "tag:team=a": 500n },
  },
  { wallet: 1, policy: { budget: { total: "0.000300" } }, budget: 300n },
  { wallet: 2, policy: { maxChargePerRequest: "0.000400" }, cap: 400n },
  { wallet: 2, policy: { concurrentRequests: 2, tokensPerMinute: 5_000 } },
  // Enough credits for one or two split requests, of which the second may run out.
  {
    wallet: 3,
    policy: { budgets: [{ user: "ben", total: "0.016000" }] },
    named: { "user:ben": 16_000n },
  },
  { wallet: 3, policy: { maxChargePerRequest: "0.021500" }, cap: 21_500n },
];

/** Returns the id of a wallet. */
export function walletId(wallet: number): string {
  return `wallet-${wallet}`;
}

/** Returns the catalog at a price from 0 to 999. */
export function catalogAt(price: number): CatalogContent {
  return {
    upstreams: [upstreamOf("cancelling", "cancel"), upstreamOf("draining", "drain")],
    models: [
      modelOf("quick", "cancelling", { quality: 0.5, price }),
      modelOf("slow", "draining", { quality: 0.55, price: price + 37 }),
      modelOf("spare", "cancelling", { quality: 0.4, price: price + 11 }),
    ],
    tiers: [tierOf("basic", "333.3"), tierOf("standard", "271.828182")],
  };
}

function upstreamOf(id: string, onDisconnect: UpstreamConfig["onDisconnect"]): UpstreamConfig {
  return {
    id,
    kind: "openai-compatible",
    provider: id,
    baseUrl: "http://127.0.0.1:9/v1",
    apiKey: "none",
    // Low, so that requests wait for leases as they do for credits.
    maxInFlight: 2,
    onDisconnect,
    timeouts: { connectMs: 5_000, firstByteMs: 300_000, idleMs: 60_000 },
  };
}

function modelOf(
  id: string,
  upstream: string,
  { quality, price }: { quality: number; price: number },
): Model {
  const dollars = (base: number) => `0.00${base + price}`;
  return {
    id,
    name: id,
    upstream,
    upstreamModel: `real-${id}`,
    endpoints: ["chat", "responses"],
    quality,
    contextTokens: 100_000,
    // High, so that the hold of a part is most of what its request allows.
    maxOutputTokens: 1_000,
    featureTags: ["json"],
    industryPacks: [],
    sku: "text",
    price: {
      inputPerMTok: `0.000${600 + (price % 400)}`,
      cachedInputPerMTok: `0.000${137 + (price % 800)}`,
      outputPerMTok: dollars(8_950),
      currency: "USD",
    },
    description: { en: id, zh: id },
    disabled: false,
  };
}

function tierOf(id: string, creditsPerUsd: string): Tier {
  const name = { en: id, zh: id };
  return { id, creditsPerUsd, models: "*", orchestration: "auto", name, description: name };
}
