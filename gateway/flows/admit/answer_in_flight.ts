import { isRepeated, ServiceFault } from "../../domain/fault.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import { typicalTokens } from "../../domain/requests/token_estimate.ts";
import type { Clock } from "../../ports/clock.ts";
import type { ActiveRequest } from "../request/active_request.ts";
import { microsOf } from "../request/billing.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";
import { faultOf } from "../request/fault_of.ts";
import type { ModelAnswer } from "../request/model_answer.ts";
import { logFailure, type LogFailureDeps } from "../request/log_failure.ts";
import type { KeyLimits } from "./admission.ts";
import type { InFlight } from "./in_flight.ts";

/** Parts of the service that every answer uses. */
export type InFlightDeps = LogFailureDeps & {
  readonly admission: Pick<KeyLimits, "spent">;
  readonly clock: Pick<Clock, "nowMs">;
  readonly inFlight: Pick<InFlight, "enter">;
};

/**
 * Answers one request while it counts as in flight: until its answer is complete or, if it is a stream,
 * until `onEnd` is called. Then `onLeave` is called and the tokens that are still reserved are given
 * back. A failure is written to the request log and thrown.
 */
export async function answerInFlight(
  deps: InFlightDeps,
  active: ActiveRequest,
  options: {
    readonly onLeave: () => void;
    readonly answer: (onEnd: () => void) => Promise<ModelAnswer>;
  },
): Promise<ModelAnswer> {
  const leave = deps.inFlight.enter(() => {
    deps.admission.spent(active.identity.key, 0, deps.clock.nowMs(), active.reservation);
    options.onLeave();
  });
  let isStream = false;
  try {
    const answer = await options.answer(leave);
    isStream = answer.kind === "stream";
    return answer;
  } catch (error) {
    logFailure(deps, active, error);
    throw withBill(error, active);
  } finally {
    if (!isStream) leave();
  }
}

/**
 * Adds the cost of a failed request, such as the calls of its planner, to the error. If it cost
 * anything, no client may repeat the request by itself and pay again.
 */
function withBill(error: unknown, active: ActiveRequest): unknown {
  const { bill: { settled: billing }, identity: { requestId }, report } = active;
  const fault = faultOf(error);
  // A bug keeps its original error for the operator's log.
  if (billing === undefined || error instanceof CallerDisconnected || fault.code === "internal") {
    return error;
  }
  const { code, message, param, retryAfterMs, extra } = fault;
  const headers = microsOf(billing) > 0n && isRepeated(fault.status)
    ? { ...fault.headers, "x-should-retry": "false" }
    : fault.headers;
  const known = Object(extra["metadata"]);
  const metadata = { request_id: requestId, routing: report.routing(), ...known };
  return new ServiceFault(code, {
    ...{ message, param, retryAfterMs, headers },
    extra: { ...extra, metadata: "billing" in known ? known : { ...metadata, billing } },
    cause: fault.cause,
  });
}

/**
 * Counts the likely tokens of a request against its key's minute until the true number is known; at
 * once, unless the counts are shared with other instances.
 */
export function reserveTokens(
  { admission, clock }: {
    readonly admission: Pick<KeyLimits, "reserve">;
    readonly clock: Pick<Clock, "nowMs">;
  },
  active: ActiveRequest,
  features: RequestFeatures,
): Promise<void> | undefined {
  const { key, admittedAtMs } = active.identity;
  const options = { nowMs: clock.nowMs(), admittedAtMs };
  const reserved = admission.reserve(key, typicalTokens(features), options);
  if (reserved instanceof Promise) return reserved.then((known) => active.reserve(known));
  active.reserve(reserved);
  return undefined;
}
