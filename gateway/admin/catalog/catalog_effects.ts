/**
 * Effects of a catalog on the existing wallets and keys: a valid catalog can still lock them out.
 *
 * @module
 */

import type { Catalog, CatalogContent } from "../../domain/catalog/catalog.ts";
import {
  type MissingCredentials,
  missingCredentials,
  missingCredentialsText,
  missingSearchVariable,
  missingSearchVariableText,
} from "../../config/missing_credentials.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Wallet } from "../../domain/ledger/ledger.ts";
import type { AdminDeps } from "../deps.ts";
import { type KeyGroup, type LostReach, lostReach, NAMED_MAX } from "./lost_reach.ts";

/**
 * Maximum number of sentences about keys that lose something, one for all keys with the same loss.
 */
const LOSSES_MAX = 10;

/** Wallets and keys that use the catalog. */
export interface CatalogUsers {
  readonly wallets: readonly Pick<Wallet, "id" | "tier">[];
  readonly keys: AsyncIterable<{ readonly record: KeyRecord }>;
}

/** Returns the ids of the wallets whose tier is missing in a catalog, by that tier. */
export function strandedWallets(
  content: Pick<CatalogContent, "tiers">,
  wallets: CatalogUsers["wallets"],
): Map<string, string[]> {
  const tiers = new Set(content.tiers.map((tier) => tier.id));
  const stranded = wallets.filter((wallet) => !tiers.has(wallet.tier));
  const byTier = [...Map.groupBy(stranded, (wallet) => wallet.tier)];
  return new Map(byTier.map(([tier, inIt]) => [tier, inIt.map((wallet) => wallet.id).toSorted()]));
}

/** Notes for the operator before a change, one sentence each. */
export interface CatalogEffects {
  readonly warnings: readonly string[];
  /** Warnings that need consent: keys lose something, or no request could be answered. */
  readonly cuts: readonly string[];
}

/** Returns the effects of replacing the current catalog by `content`. */
export async function catalogEffects(
  change: { readonly current: Catalog; readonly content: CatalogContent },
  users: CatalogUsers,
  deps: Pick<AdminDeps, "clock" | "env">,
): Promise<CatalogEffects> {
  const { current, content } = change;
  const stranded = [...strandedWallets(content, users.wallets)].map(([tier, wallets]) =>
    `${
      listed("Wallet", wallets.map((id) => `"${id}"`))
    } cannot spend: the catalog has no tier "${tier}"`
  );
  const nowMs = deps.clock.nowMs();
  const lost = await lostReach({
    before: current,
    after: { ...content, version: current.version + 1, updatedAtMs: nowMs },
    keys: users.keys,
    tiers: new Map(users.wallets.map((wallet) => [wallet.id, wallet.tier])),
    nowMs,
  });
  const { env = () => "" } = deps;
  const missing = missingCredentials(content.upstreams, env);
  const lacking = missing.map(missingCredentialsText);
  const variable = missingSearchVariable(content.search, env);
  if (variable !== undefined) lacking.push(missingSearchVariableText(variable));
  const cuts = [...lostSentences(lost), ...unservedSentence(content, missing)];
  return { warnings: [...stranded, ...cuts, ...lacking], cuts };
}

/** Returns a sentence when no model of a catalog is at an upstream that can be called. */
function unservedSentence(
  { models }: CatalogContent,
  missing: readonly MissingCredentials[],
): string[] {
  const closed = new Set(missing.map(({ upstream }) => upstream));
  return models.some(({ upstream }) => !closed.has(upstream))
    ? []
    : ["No upstream is left that can be called: no request could be answered"];
}

/**
 * Returns sentences about keys that lose everything, then about those that lose a part; many are
 * only counted.
 */
function lostSentences({ idle, losses }: LostReach): string[] {
  const unserved = idle.count === 0 ? [] : [`${keyNames(idle)} may use none of the models`];
  const sentences = losses.slice(0, LOSSES_MAX).map(({ keys, models, endpoints }) => {
    const parts = [
      ...models.length === 0 ? [] : [`the ${listed("model", models.map((id) => `"${id}"`))}`],
      ...endpoints.length === 0
        ? []
        : [`the ${listed("endpoint", endpoints.map((id) => `"${id}"`))}`],
    ];
    return `${keyNames(keys)} lose${keys.count === 1 ? "s" : ""} ${parts.join(", and ")}`;
  });
  const rest = losses.slice(LOSSES_MAX).reduce((sum, { keys }) => sum + keys.count, 0);
  const others = rest === 0
    ? []
    : [`${rest} more key${rest === 1 ? " loses" : "s lose"} models or endpoints`];
  return [...unserved, ...sentences, ...others];
}

function keyNames({ named, count }: KeyGroup): string {
  return listed("Key", named.map(({ id, name }) => `"${name}" (${id})`), count);
}

/** Returns `Wallet "a"`, or `Wallets "a", "b" and 3 more`. */
export function listed(
  noun: "Wallet" | "Key" | "model" | "endpoint",
  names: readonly string[],
  count = names.length,
): string {
  const rest = count > NAMED_MAX ? ` and ${count - NAMED_MAX} more` : "";
  return `${noun}${count === 1 ? "" : "s"} ${names.slice(0, NAMED_MAX).join(", ")}${rest}`;
}
