/**
 * What a catalog would do to the wallets and keys that are there: a catalog can be valid and still
 * lock them out.
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
import { type LostReach, lostReach } from "./lost_reach.ts";

/** Names that a sentence lists before it only counts. */
const NAMES_MAX = 10;
/** Sentences about keys that lose something, each of those who lose the same. */
const LOSSES_MAX = 10;

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

/** Notes for the operator before a change, one sentence each. */
export interface CatalogEffects {
  readonly warnings: readonly string[];
  /** Those of them that somebody should agree to: keys lose something, or nothing can answer. */
  readonly cuts: readonly string[];
}

/** Reckons the effects of `content` in the place of `current`. */
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

/** Says so where no model of a content is at an upstream that can be called. */
function unservedSentence(
  { models }: CatalogContent,
  missing: readonly MissingCredentials[],
): string[] {
  const closed = new Set(missing.map(({ upstream }) => upstream));
  return models.some(({ upstream }) => !closed.has(upstream))
    ? []
    : ["No upstream is left that can be called: no request could be answered"];
}

/** Who is left with nothing, and then who loses what; the rest only counted where it is much. */
function lostSentences({ idle, losses }: LostReach): string[] {
  const unserved = idle.length === 0 ? [] : [`${keyNames(idle)} may use none of the models`];
  const told = losses.slice(0, LOSSES_MAX).map(({ keys, models, endpoints }) => {
    const parts = [
      ...models.length === 0 ? [] : [`the ${listed("model", models.map((id) => `"${id}"`))}`],
      ...endpoints.length === 0
        ? []
        : [`the ${listed("endpoint", endpoints.map((id) => `"${id}"`))}`],
    ];
    return `${keyNames(keys)} lose${keys.length === 1 ? "s" : ""} ${parts.join(", and ")}`;
  });
  const rest = losses.slice(LOSSES_MAX).reduce((sum, { keys }) => sum + keys.length, 0);
  const others = rest === 0
    ? []
    : [`${rest} more key${rest === 1 ? " loses" : "s lose"} models or endpoints`];
  return [...unserved, ...told, ...others];
}

function keyNames(keys: readonly KeyRecord[]): string {
  return listed("Key", keys.map(({ id, name }) => `"${name}" (${id})`));
}

/** `Wallet "a"`, or `Wallets "a", "b" and 3 more`. */
export function listed(
  noun: "Wallet" | "Key" | "model" | "endpoint",
  names: readonly string[],
): string {
  const rest = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : "";
  return `${noun}${names.length === 1 ? "" : "s"} ${names.slice(0, NAMES_MAX).join(", ")}${rest}`;
}
