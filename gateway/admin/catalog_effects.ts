/**
 * What a catalog would do to the wallets and keys that are there: a catalog can be valid and still
 * lock them out.
 *
 * @module
 */

import type { CatalogContent } from "../domain/catalog.ts";
import {
  missingCredentials,
  missingCredentialsText,
  missingSearchVariable,
  missingSearchVariableText,
} from "../config/missing_credentials.ts";
import type { KeyRecord } from "../domain/key.ts";
import type { Wallet } from "../domain/ledger.ts";
import { type KeyPolicy, modelDenial } from "../domain/policy.ts";
import { effectiveTier, tierAllows } from "../domain/tiers.ts";
import type { AdminDeps } from "./deps.ts";

/** Names that a sentence lists before it only counts. */
const NAMES_MAX = 10;

/** Who draws on the catalog. */
export interface CatalogUsers {
  readonly wallets: readonly Pick<Wallet, "id" | "tier">[];
  readonly keys: readonly KeyRecord[];
}

/** Ids of the wallets whose tier a content does not have, by that tier. */
export function strandedWallets(
  content: Pick<CatalogContent, "tiers">,
  wallets: CatalogUsers["wallets"],
): Map<string, string[]> {
  const tiers = new Set(content.tiers.map((tier) => tier.id));
  const stranded = wallets.filter((wallet) => !tiers.has(wallet.tier));
  const byTier = [...Map.groupBy(stranded, (wallet) => wallet.tier)];
  return new Map(byTier.map(([tier, inIt]) => [tier, inIt.map((wallet) => wallet.id).toSorted()]));
}

/** What the operator should know before a content is in force; one sentence each. */
export function catalogWarnings(
  content: CatalogContent,
  users: CatalogUsers,
  deps: Pick<AdminDeps, "clock" | "env">,
): string[] {
  const stranded = [...strandedWallets(content, users.wallets)].map(([tier, wallets]) =>
    `${
      listed("Wallet", wallets.map((id) => `"${id}"`))
    } cannot spend: the catalog has no tier "${tier}"`
  );
  const nowMs = deps.clock.nowMs();
  const tierOf = new Map(users.wallets.map((wallet) => [wallet.id, wallet.tier]));
  const idle = users.keys.filter(({ status, policy, walletId }) => {
    // Keys that never serve again need no model.
    if (status === "revoked" || Date.parse(policy.expiresAt ?? "") <= nowMs) return false;
    return !hasModel(content, policy, tierOf.get(walletId) ?? "");
  });
  const unserved = idle.length === 0 ? [] : [
    `${listed("Key", idle.map(({ id, name }) => `"${name}" (${id})`))} ` +
    "may use none of the models",
  ];
  const { env } = deps;
  if (env === undefined) return [...stranded, ...unserved];
  const lacking = missingCredentials(content.upstreams, env).map(missingCredentialsText);
  const variable = missingSearchVariable(content.search, env);
  if (variable !== undefined) lacking.push(missingSearchVariableText(variable));
  return [...stranded, ...unserved, ...lacking];
}

/** Whether a key's policy, at its wallet's tier, leaves it any model. */
function hasModel(content: CatalogContent, policy: KeyPolicy, walletTier: string): boolean {
  const resolved = effectiveTier(policy, walletTier, content);
  if (!resolved.ok) return false;
  const providers = new Map(content.upstreams.map(({ id, provider }) => [id, provider]));
  return content.models.some((model) => {
    const provider = providers.get(model.upstream) ?? model.upstream;
    return !model.disabled && tierAllows(resolved.tier, model.id) &&
      (policy.endpoints?.some((endpoint) => model.endpoints.includes(endpoint)) ?? true) &&
      modelDenial(policy, { model, provider }) === undefined;
  });
}

/** `Wallet "a"`, or `Wallets "a", "b" and 3 more`. */
export function listed(noun: "Wallet" | "Key", names: readonly string[]): string {
  const rest = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : "";
  return `${noun}${names.length === 1 ? "" : "s"} ${names.slice(0, NAMES_MAX).join(", ")}${rest}`;
}
