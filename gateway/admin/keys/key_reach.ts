import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { type PolicyReach, reachOf } from "../../domain/policy/reach.ts";
import { budgetOf } from "../../flows/call/take_hold.ts";
import type { AdminDeps } from "../deps.ts";
import { ENDPOINTS, HOSTED_TOOLS } from "../../admin_api/schemas/policy.ts";

/** What a policy leaves of the catalog in force to a key of a wallet. */
export async function reachJson(
  { catalogs, clock, ledger }: Pick<AdminDeps, "catalogs" | "clock" | "ledger">,
  { policy, walletId }: { readonly policy: KeyPolicy; readonly walletId: string },
) {
  const wallet = await ledger.wallet(walletId);
  const { tier, endpoints, models, hostedTools }: PolicyReach = reachOf({
    policy,
    walletTier: wallet?.tier ?? "",
    catalog: catalogs.current(),
    budget: budgetOf(policy),
    endpoints: ENDPOINTS,
    hostedTools: HOSTED_TOOLS,
    nowMs: clock.nowMs(),
  });
  return {
    tier: tier ?? null,
    endpoints: endpoints.map((one) => ({ ...one, reason: one.reason ?? null })),
    models: models.map((one) => ({ ...one, reason: one.reason ?? null })),
    hostedTools,
  };
}
