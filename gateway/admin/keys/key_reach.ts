import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { type PolicyReach, reachOf } from "../../domain/policy/reach.ts";
import { budgetOf } from "../../flows/plan/spending_cap.ts";
import type { AdminDeps } from "../deps.ts";
import { ENDPOINTS } from "../../domain/requests/endpoints.ts";
import type { AnswerOf } from "../../admin_api/operations.ts";
import { HOSTED_TOOL_TYPES } from "../../domain/requests/hosted_tool_types.ts";

/** Returns what a policy allows a key of a wallet to use of the catalog in force. */
export async function reachJson(
  { catalogs, clock, ledger }: Pick<AdminDeps, "catalogs" | "clock" | "ledger">,
  { policy, walletId }: { readonly policy: KeyPolicy; readonly walletId: string },
): Promise<AnswerOf<"GET /keys/{id}">["reach"]> {
  const wallet = await ledger.wallet(walletId);
  const { tier, endpoints, models, hostedTools }: PolicyReach = reachOf({
    policy,
    walletTier: wallet?.tier ?? "",
    catalog: catalogs.current(),
    budget: budgetOf(policy),
    endpoints: ENDPOINTS,
    hostedTools: HOSTED_TOOL_TYPES,
    nowMs: clock.nowMs(),
  });
  return {
    tier: tier ?? null,
    endpoints: endpoints.map((one) => ({ ...one, reason: one.reason ?? null })),
    models: models.map((one) => ({ ...one, reason: one.reason ?? null })),
    hostedTools,
  };
}
