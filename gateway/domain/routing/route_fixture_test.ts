/** Inputs that the tests of routing vary. */

import type { Catalog, Model, Tier } from "../catalog/catalog.ts";
import type { RequestFeatures } from "../requests/features.ts";
import type { Wallet } from "../ledger/ledger.ts";
import type { RoutingInput } from "./plan.ts";

export function modelWith(changes: Partial<Model> & { id: string }): Model {
  return {
    name: changes.id,
    upstream: "lab",
    upstreamModel: "gpt-test",
    endpoints: ["chat"],
    quality: 0.5,
    contextTokens: 10_000,
    maxOutputTokens: 1_000,
    featureTags: [],
    industryPacks: [],
    sku: "text",
    price: { inputPerMTok: "1", outputPerMTok: "10", currency: "USD" },
    description: { en: "", zh: "" },
    disabled: false,
    ...changes,
  };
}

export function tierWith(changes: Partial<Tier> & { id: string }): Tier {
  return {
    creditsPerUsd: "1000",
    models: "*",
    orchestration: "auto",
    name: { en: "", zh: "" },
    description: { en: "", zh: "" },
    ...changes,
  };
}

export function catalogOf(models: readonly Model[], tiers?: readonly Tier[]): Catalog {
  return {
    version: 7,
    updatedAtMs: 0,
    upstreams: ["lab", "cloud"].map((id) => ({
      id,
      kind: "openai-compatible",
      provider: id,
      baseUrl: "http://127.0.0.1:1/v1",
      maxInFlight: 1,
      onDisconnect: "cancel",
      timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
    })),
    models,
    tiers: tiers ?? [
      tierWith({ id: "low" }),
      tierWith({ id: "mid" }),
      tierWith({ id: "high" }),
    ],
    auto: { dial: 0.5 },
  };
}

export function featuresWith(changes: Partial<RequestFeatures> = {}): RequestFeatures {
  return {
    endpoint: "chat",
    textBytes: 400,
    textChars: 400,
    denseChars: 0,
    framedItems: 1,
    images: 0,
    needs: [],
    hostedTools: [],
    choices: 1,
    difficulty: 0.3,
    conversation: "0",
    ...changes,
  };
}

export function walletWith(changes: Partial<Wallet> = {}): Wallet {
  const money = { available: 1_000_000_000n, held: 0n, spent: 0n, ...changes };
  return {
    id: "w",
    tier: "mid",
    credits: money.available + money.held + money.spent,
    writtenOff: 0n,
    createdAtMs: 0,
    ...money,
  };
}

export function inputWith(
  changes: Partial<RoutingInput> & Pick<RoutingInput, "catalog">,
): RoutingInput {
  return {
    features: featuresWith(),
    policy: {},
    wallet: walletWith(),
    budget: {},
    pool: new Map(),
    seed: 0.5,
    nowMs: Date.UTC(2026, 10, 21),
    ...changes,
  };
}
