import { ServiceFault } from "../domain/fault.ts";
import type { RequestFeatures } from "../domain/features.ts";
import { invariant } from "../domain/invariant.ts";
import { route, type RoutingPlan } from "../domain/routing.ts";
import { budgetOf } from "./attempt.ts";
import type { GatewayContext } from "./context.ts";
import type { Caller, RequestTrace } from "./request_trace.ts";

/** What a conversation is known by: the key and a hash of its leading messages. */
export function conversationOf(caller: Caller, features: RequestFeatures): string {
  return `${caller.key.id} ${features.conversation}`;
}

/** Decides which models to try, in which order. Throws a {@linkcode ServiceFault} where none may serve. */
export async function planRoute(
  gateway: GatewayContext,
  trace: RequestTrace,
  features: RequestFeatures,
): Promise<Extract<RoutingPlan, { ok: true }>> {
  const { key } = trace.caller;
  const [wallet, spend] = await Promise.all([
    gateway.ledger.wallet(key.walletId),
    gateway.ledger.keySpend(key.budgetId ?? key.id),
  ]);
  invariant(
    wallet !== undefined,
    `Key "${key.id}" names the wallet "${key.walletId}", which is gone`,
  );
  const nowMs = gateway.clock.nowMs();
  const plan = route({
    catalog: gateway.catalogs.current(),
    features,
    policy: key.policy,
    wallet,
    spend,
    budget: budgetOf(key.policy),
    pool: gateway.pool.states(nowMs),
    stickyModel: gateway.conversations.get(conversationOf(trace.caller, features)),
    seed: gateway.rng.next(),
    nowMs,
  });
  trace.planned(plan);
  if (!plan.ok) {
    throw new ServiceFault(plan.code, { message: plan.message, retryAfterMs: plan.retryAfterMs });
  }
  return plan;
}
