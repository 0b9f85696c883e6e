import type { CatalogStore } from "../../ports/catalog_store.ts";
import type { AtOnce } from "../../ports/at_once.ts";
import type { Clock } from "../../ports/clock.ts";
import type { LeasePool } from "../../ports/lease_pool.ts";
import type { LedgerStore } from "../../ports/ledger_store.ts";
import type { TraitsOf } from "../../domain/catalog/provider_traits.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import { InvariantError } from "../../domain/invariant.ts";
import type { KeySpend, Wallet } from "../../domain/ledger/ledger.ts";
import { formatCredits, type Micros } from "../../domain/ledger/money.ts";
import type { KeyPolicy } from "../../domain/policy/policy.ts";
import { route } from "../../domain/routing/route.ts";
import type { RoutingInput, RoutingPlan } from "../../domain/routing/plan.ts";
import { fundsOf } from "../../domain/routing/funds.ts";
import type { SpanEnd } from "../../ports/tracer.ts";
import { budgetOf, namedBudgetsOf, remainingCap } from "./spending_cap.ts";
import { conversationName } from "./conversation_models.ts";
import type { RoutingKnowledge } from "../learn/learning.ts";
import type { ActiveRequest } from "../request/active_request.ts";

/** Parts of the service that routing uses. */
export interface PlanDeps {
  readonly catalogs: Pick<CatalogStore, "current">;
  readonly clock: Pick<Clock, "nowMs">;
  /** The model that answered a conversation last, by key id and conversation hash. */
  readonly conversations: { get(conversation: string): string | undefined };
  readonly ledger: Pick<LedgerStore, "wallet" | "keySpend">;
  readonly pool: Pick<LeasePool, "states">;
  readonly learning: RoutingKnowledge;
  /** Traits of the kinds of upstreams. */
  readonly traitsOf: TraitsOf;
}

/** Returns the name of a conversation: the key id and a hash of its leading messages. */
export function conversationOf(
  { identity }: ActiveRequest,
  { conversation }: RequestFeatures,
): string {
  return conversationName(identity.key.id, conversation);
}

/** A plan with at least one candidate. */
export type OpenPlan = Extract<RoutingPlan, { ok: true }>;

/**
 * Decides which models to try, in which order; at once where the wallet is in memory. Throws a
 * {@linkcode ServiceFault} if none may serve.
 */
export function planRoute(
  deps: PlanDeps,
  active: ActiveRequest,
  features: RequestFeatures,
): AtOnce<OpenPlan> {
  const means = meansOf(deps, active);
  return means instanceof Promise
    ? means.then((read) => decideRoute(deps, active, features, read))
    : decideRoute(deps, active, features, means);
}

/**
 * Reads the wallet and the spending that a route depends on. The returned function decides as
 * {@linkcode planRoute} does, by the catalog and the pool at the time of its call.
 */
export async function prepareRoute(
  deps: PlanDeps,
  active: ActiveRequest,
  features: RequestFeatures,
): Promise<() => OpenPlan> {
  const means = await meansOf(deps, active);
  return () => decideRoute(deps, active, features, means);
}

/** Returns the funds that the rest of a request may hold now. */
export async function fundsNow(
  deps: PlanDeps,
  active: ActiveRequest,
  features: RequestFeatures,
): Promise<Micros> {
  return fundsOf(routingInput(deps, active, features, await meansOf(deps, active))).now;
}

/** The wallet and the spending of a key. */
interface Means {
  readonly wallet: Wallet | undefined;
  readonly spend: KeySpend | undefined;
}

function meansOf({ ledger }: PlanDeps, { key }: ActiveRequest): AtOnce<Means> {
  const wallet = ledger.wallet(key.walletId);
  const spend = ledger.keySpend(key.budgetId ?? key.id);
  if (!(wallet instanceof Promise || spend instanceof Promise)) return { wallet, spend };
  return Promise.all([wallet, spend]).then(([wallet, spend]) => ({ wallet, spend }));
}

function routingInput(
  deps: PlanDeps,
  active: ActiveRequest,
  features: RequestFeatures,
  { wallet, spend }: Means,
): RoutingInput {
  const { key } = active;
  if (wallet === undefined) {
    throw new InvariantError(`Key "${key.id}" names the wallet "${key.walletId}", which is gone`);
  }
  const nowMs = deps.clock.nowMs();
  return {
    features,
    wallet,
    spend,
    catalog: deps.catalogs.current(),
    policy: capped(active),
    budget: budgetOf(key.policy),
    named: namedBudgetsOf(key.policy, active.identity.attribution),
    pool: deps.pool.states(nowMs),
    traitsOf: deps.traitsOf,
    stickyModel: deps.conversations.get(conversationOf(active, features)),
    ...learnedInput(deps, active, features),
    nowMs,
  };
}

/** Returns the part of the input that the learned statistics and the caller's choice decide by. */
function learnedInput(
  { learning }: PlanDeps,
  { identity }: ActiveRequest,
  { endpoint, taskText }: RequestFeatures,
): Pick<RoutingInput, "snapshot" | "task" | "choice" | "seed"> {
  const { walletId } = identity.key;
  return {
    snapshot: learning.snapshot(),
    task: taskText === undefined ? undefined : learning.taskOf(walletId, endpoint, taskText),
    choice: identity.auto,
    seed: learning.seedOf(identity.logId),
  };
}

function decideRoute(
  deps: PlanDeps,
  active: ActiveRequest,
  features: RequestFeatures,
  means: Means,
): OpenPlan {
  if (means.wallet?.closedAtMs !== undefined) throw new ServiceFault("wallet_closed");
  const span = active.span?.child("route");
  const plan = route(routingInput(deps, active, features, means));
  span?.end(routeEnd(plan));
  // If part of the request was served, its route is the one that served it.
  if (plan.ok || active.bill.settled === undefined) active.report.notePlan(plan);
  if (!plan.ok) {
    const { code, message, param, retryAfterMs } = plan;
    const extra = code === "rate_limit_exceeded" ? errorMetadata(active) : {};
    throw new ServiceFault(code, { message, param, retryAfterMs, extra });
  }
  return plan;
}

/** Returns the `metadata` of an error: the route with the attempts, if there were any. */
export function errorMetadata(active: ActiveRequest): Readonly<Record<string, unknown>> {
  return { metadata: { request_id: active.identity.requestId, routing: active.report.routing() } };
}

/**
 * Returns the end of the routing span: counts and the first model. It omits the reasons of
 * exclusions, which name rules of the key.
 */
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

/** Returns the policy for a part, or for the rest of a request that has cost something. */
function capped(active: ActiveRequest): KeyPolicy {
  const { policy } = active.key;
  if (active.bill.settled === undefined && active.allowance === undefined) return policy;
  const cap = remainingCap(active);
  return cap === undefined ? policy : { ...policy, maxChargePerRequest: formatCredits(cap) };
}
