/**
 * One call of an audit: a chat request to one model, held and billed on the operator's wallet.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import { formatCredits, type Micros, parseCredits } from "../../domain/ledger/money.ts";
import { EMPTY_SNAPSHOT } from "../../domain/learning/snapshot.ts";
import { AUDIT_KEY_ID, AUDIT_KEY_NAME, type KeyRecord } from "../../domain/policy/key.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import type { LeasePool } from "../../ports/lease_pool.ts";
import type { Rng } from "../../ports/rng.ts";
import type { JsonBody } from "../../ports/upstream.ts";
import { InFlight } from "../admit/in_flight.ts";
import { beginChat, type ChatDeps, finishChat } from "../chat/chat_call.ts";
import { planRoute } from "../plan/route_plan.ts";
import { ActiveRequest } from "../request/active_request.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import type { RequestIdentity } from "../request/identity.ts";
import { logFailure, type LogFailureDeps } from "../request/log_failure.ts";

/** Parts of the service that calls of audits use. */
export type AuditCallDeps = ChatDeps & LogFailureDeps & { readonly rng: Rng };

/** A call of one model. */
export interface AuditedCall {
  /** The operator's wallet. */
  readonly walletId: string;
  /** Catalog id. */
  readonly model: string;
  readonly body: JsonBody;
  readonly features: RequestFeatures;
  /** Maximum charge. */
  readonly most: Micros;
}

/** The end of a call. */
export interface AuditedAnswer {
  /** The chat completion; absent if the call failed. */
  readonly completion?: Readonly<Record<string, unknown>> | undefined;
  /** The charge; its maximum if the store does not say whether the call was charged. */
  readonly charged: Micros;
  /** True when the funds paid for less output than the request asks for. */
  readonly isLowered: boolean;
}

/**
 * Makes one call and settles it. The tools of the request are declared to the model and never run.
 * Never throws. `signal` ends the call.
 */
export async function callForAudit(
  deps: AuditCallDeps,
  { walletId, model, body, features, most }: AuditedCall,
  signal: AbortSignal,
): Promise<AuditedAnswer> {
  const { rng, clock, logger } = deps;
  const key = auditKey(walletId, { model, most });
  const inFlight = new InFlight();
  const end = () => inFlight.abortAll();
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  const own = auditDeps(deps, { key, inFlight });
  const identity: RequestIdentity = {
    ...{ key, requestId: rng.id("audit"), logId: rng.id("log") },
    endpoint: "chat",
    stream: false,
    dialect: "service",
  };
  const active = new ActiveRequest(identity, { signal: new AbortController().signal }, clock);
  const request = { ...features, endpoint: "chat", taskText: undefined } as const;
  let held = 0n;
  try {
    const plan = await planRoute(own, active, request);
    const begunCall = await beginChat(own, active, {
      ...{ body, features: request, plan, wanted: "json" },
      relayOf: () => {
        throw new TypeError("Cannot stream an audit");
      },
    });
    if (begunCall.kind !== "json") throw new TypeError("Cannot read a streamed audit");
    held = begunCall.hold.held;
    await finishChat(own, active, { body, begunCall });
    const isLowered = active.report.outputLimit !== undefined;
    return { completion: begunCall.answer.body.value, charged: chargedIn(active), isLowered };
  } catch (error) {
    if (active.hasBegun) logFailure(own, active, error);
    const isExpected = error instanceof ServiceFault || error instanceof CallerDisconnected;
    if (!isExpected) logger.error("audit_call_failed", { model, cause: String(error) });
    const charged = active.bill.settled === undefined ? held : chargedIn(active);
    return { charged, isLowered: false };
  } finally {
    signal.removeEventListener("abort", end);
  }
}

function chargedIn({ bill }: ActiveRequest): Micros {
  return parseCredits(bill.settled?.charged ?? "0") ?? 0n;
}

/** Returns the key of a call: it exists for this call only, is not stored, and allows one model. */
function auditKey(
  walletId: string,
  { model, most }: { readonly model: string; readonly most: Micros },
): KeyRecord {
  return {
    id: AUDIT_KEY_ID,
    name: AUDIT_KEY_NAME,
    walletId,
    status: "active",
    policy: {
      models: [model],
      maxChargePerRequest: formatCredits(most),
      orchestration: { mode: "off", stream: "final" },
    },
    hint: "",
    createdAtMs: 0,
  };
}

/** Returns the parts of the service for an audit: nothing of it reaches the state of callers. */
function auditDeps(
  deps: AuditCallDeps,
  { key, inFlight }: { readonly key: KeyRecord; readonly inFlight: InFlight },
): AuditCallDeps {
  const { learning, pool } = deps;
  return {
    ...deps,
    inFlight,
    keys: { get: () => Promise.resolve(key) },
    admission: { spent: () => {} },
    conversations: { get: () => undefined, set: () => {} },
    signatures: { remember: () => {} },
    pool: spareOf(pool, inFlight),
    learning: {
      noteServed: () => {},
      noteAnswer: () => {},
      snapshot: () => EMPTY_SNAPSHOT,
      taskOf: (...parts) => learning.taskOf(...parts),
      seedOf: (id) => learning.seedOf(id),
    },
  };
}

/** Returns the capacity that callers do not need: an audit takes nothing else, and never waits. */
function spareOf(pool: LeasePool, inFlight: InFlight): LeasePool {
  return {
    states: (nowMs) => pool.states(nowMs),
    acquire: (model) => pool.acquire(model, { giveWay: () => inFlight.abortAll() }),
    waitForLease: () => Promise.resolve(undefined),
  };
}
