/**
 * The operator's wallet that pays for audits.
 *
 * @module
 */

import type { Catalog } from "../catalog/catalog.ts";
import type { Wallet } from "../ledger/ledger.ts";
import { parseCredits } from "../ledger/money.ts";
import type { KeyRecord } from "../policy/key.ts";
import { effectiveTier, tierAllows } from "../policy/tiers.ts";
import type { AuditSettings } from "../routing/auto.ts";

/** The facts that decide about the wallet of audits. */
export interface AuditFunds {
  readonly catalog: Pick<Catalog, "tiers" | "models">;
  readonly wallet: Pick<Wallet, "tier" | "available"> | undefined;
  /** All keys, or those of the wallet. */
  readonly keys: readonly Pick<KeyRecord, "walletId" | "status">[];
}

/** Returns why audits cannot run, as a sentence for the operator; `undefined` if they can. */
export function auditObstacle(
  { wallet: id, dailyBudget, judge }: AuditSettings,
  { catalog, wallet, keys }: AuditFunds,
): string | undefined {
  if (wallet === undefined) return `The wallet "${id}" of audits does not exist`;
  if (keys.some(({ walletId, status }) => walletId === id && status !== "revoked")) {
    return `The wallet "${id}" of audits has API keys: audits need a separate wallet, ` +
      "so that they never bill a caller";
  }
  const resolution = effectiveTier({}, wallet.tier, catalog);
  if (!resolution.ok) return `The wallet "${id}" of audits cannot pay: ${resolution.message}`;
  if (wallet.available <= 0n) return `The wallet "${id}" of audits has no credits`;
  if ((parseCredits(dailyBudget) ?? 0n) <= 0n) return "The daily budget of audits is zero";
  if (judge !== undefined && !catalog.models.some((model) => model.id === judge)) {
    return `The judge "${judge}" of audits is not a model of the catalog`;
  }
  if (judge !== undefined && !tierAllows(resolution.tier, judge)) {
    return `The tier "${wallet.tier}" of the wallet "${id}" of audits lacks the judge "${judge}"`;
  }
  return undefined;
}
