import { ServiceFault } from "../../domain/fault.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import { InvariantError } from "../../domain/invariant.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { route } from "../../domain/routing/route.ts";
import type { RoutingInput, RoutingPlan } from "../../domain/routing/plan.ts";
import { fundsOf } from "../../domain/routing/funds.ts";
import type { SpanEnd } from "../../ports/tracer.ts";
import type { GatewayContext } from "../context.ts";
import { budgetOf, capLeft } from "../call/take_hold.ts";
import type { Caller, RequestTrace } from "../request_trace.ts";

/** What a conversation is known by: the key and a hash of its leading messages. */
export function conversationOf(caller: Caller, features: RequestFeatures): string {
  return `${caller.key.id} ${features.conversation}`;
}

/** A plan by which a request can be served. */
export type OpenPlan = Extract<RoutingPlan, { ok: true }>;

/** Decides which models to try, in which order. Throws a {@linkcode ServiceFault} where none may serve. */
export async function planRoute(
  gateway: GatewayContext,
  trace: RequestTrace,
  features: RequestFeatures,
): Promise<OpenPlan> {
  return (await prepareRoute(gateway, trace, features))();
}

/**
 * Reads what a route depends on and is not at hand at once. What it resolves to decides, as
 * {@linkcode planRoute} does, by the catalog and the pool as they are when it is called.
 */
export async function prepareRoute(
  gateway: GatewayContext,
  trace: RequestTrace,
  features: RequestFeatures,
): Promise<() => OpenPlan> {
  const means = await meansOf(gateway, trace);
  return () => decideRoute(gateway, trace, { features, ...means });
}

/** What the rest of a request may cost at once, as it is now. */
export async function fundsNow(
  gateway: GatewayContext,
  trace: RequestTrace,
  features: RequestFeatures,
): Promise<Micros> {
  return fundsOf(routingInput(gateway, trace, { features, ...await meansOf(gateway, trace) })).now;
}

async function meansOf(
  gateway: GatewayContext,
  trace: RequestTrace,
): Promise<Pick<RoutingInput, "wallet" | "spend">> {
  const { key } = trace.caller;
  const wallet = await gateway.ledger.wallet(key.walletId);
  const spend = await gateway.ledger.keySpend(key.budgetId ?? key.id);
  if (wallet === undefined) {
    throw new InvariantError(`Key "${key.id}" names the wallet "${key.walletId}", which is gone`);
  }
  return { wallet, spend };
}

function routingInput(
  gateway: GatewayContext,
  trace: RequestTrace,
  known: Pick<RoutingInput, "features" | "wallet" | "spend">,
): RoutingInput {
  const { key } = trace.caller;
  const nowMs = gateway.clock.nowMs();
  return {
    ...known,
    catalog: gateway.catalogs.current(),
    policy: capped(trace),
    budget: budgetOf(key.policy),
    pool: gateway.pool.states(nowMs),
    traitsOf: gateway.traitsOf,
    stickyModel: gateway.conversations.get(conversationOf(trace.caller, known.features)),
    seed: gateway.rng.next(),
    nowMs,
  };
}

function decideRoute(
  gateway: GatewayContext,
  trace: RequestTrace,
  known: Pick<RoutingInput, "features" | "wallet" | "spend">,
): OpenPlan {
  const span = trace.span?.child("route");
  const plan = route(routingInput(gateway, trace, known));
  span?.end(routeEnd(plan));
  // Where a request has been served in part, its route is the one that served it.
  if (plan.ok || trace.billed === undefined) trace.planned(plan);
  if (!plan.ok) {
    const { code, message, param, retryAfterMs } = plan;
    const extra = code === "rate_limit_exceeded" ? errorMetadata(trace) : {};
    throw new ServiceFault(code, { message, param, retryAfterMs, extra });
  }
  return plan;
}

/** The `metadata` of an error: of the attempts, where there were any. */
export function errorMetadata(trace: RequestTrace): Readonly<Record<string, unknown>> {
  return { metadata: { request_id: trace.caller.requestId, routing: trace.routing() } };
}

/** How many models there were, and which comes first: never why one was left out, which names keys' rules. */
function routeEnd(plan: RoutingPlan): SpanEnd {
  const attributes = { "svc.route.excluded": plan.exclusions.length };
  if (!plan.ok) return { attributes, error: plan.code };
  const first = plan.candidates[0]?.model.id;
  return {
    attributes: {
      ...attributes,
      "svc.route.considered": plan.considered,
      "svc.route.candidates": plan.candidates.length,
      "svc.tier": plan.tier.id,
      ...(first === undefined ? {} : { "svc.model": first }),
    },
  };
}

/** The policy for the rest of a request that has cost something already, or for a part of it. */
function capped(trace: RequestTrace): KeyPolicy {
  const { policy } = trace.caller.key;
  if (trace.billed === undefined && trace.allowance === undefined) return policy;
  const left = capLeft(trace);
  return left === undefined ? policy : { ...policy, maxChargePerRequest: formatCredits(left) };
}
