import { isRepeated, ServiceFault } from "../../domain/fault.ts";
import type { RequestFeatures } from "../../domain/requests/features.ts";
import { typicalTokens } from "../../domain/requests/token_estimate.ts";
import { microsOf } from "../settle/add_billing.ts";
import type { GatewayContext } from "../context.ts";
import { CallerDisconnected } from "../call/caller_disconnected.ts";
import { faultOf } from "../call/fault_of.ts";
import { logFailure } from "../settle/log_failure.ts";
import type { ModelAnswer } from "../model_answer.ts";
import { type Caller, RequestTrace } from "../request_trace.ts";

/**
 * Answers one request while it counts as under way: until its answer is complete or, where it is a
 * stream, until `onEnd` is called. Whatever it reserved is given back then; a failure is in the log.
 */
export async function answerInFlight(
  gateway: GatewayContext,
  caller: Caller,
  answer: (trace: RequestTrace, onEnd: () => void) => Promise<ModelAnswer>,
): Promise<ModelAnswer> {
  const trace = new RequestTrace(caller, gateway.clock);
  const leave = gateway.inFlight.enter(() => {
    gateway.admission.spent(caller.key, 0, gateway.clock.nowMs(), trace.reserved);
    caller.onSettled();
  });
  let streaming = false;
  try {
    const answered = await answer(trace, leave);
    streaming = answered.kind === "stream";
    return answered;
  } catch (error) {
    logFailure(gateway, trace, error);
    throw withBill(error, trace);
  } finally {
    if (!streaming) leave();
  }
}

/**
 * A failure tells what the request has cost all the same, such as the calls of its planner; where that
 * is anything, no client repeats it by itself, and pays again.
 */
function withBill(error: unknown, trace: RequestTrace): unknown {
  const { billed: billing, caller: { requestId } } = trace;
  const fault = faultOf(error);
  // A bug is told to the operator as it is.
  if (billing === undefined || error instanceof CallerDisconnected || fault.code === "internal") {
    return error;
  }
  const { code, message, param, retryAfterMs, extra } = fault;
  const headers = microsOf(billing) > 0n && isRepeated(fault.status)
    ? { ...fault.headers, "x-should-retry": "false" }
    : fault.headers;
  const told = Object(extra["metadata"]);
  const metadata = { request_id: requestId, routing: trace.routing(), ...told };
  return new ServiceFault(code, {
    ...{ message, param, retryAfterMs, headers },
    extra: { ...extra, metadata: "billing" in told ? told : { ...metadata, billing } },
    cause: fault.cause,
  });
}

/** Counts what a request will come to against its key's tokens a minute, until the truth is known. */
export function reserveTokens(
  { admission, clock }: GatewayContext,
  trace: RequestTrace,
  features: RequestFeatures,
): void {
  const { key, admittedAtMs } = trace.caller;
  const options = { nowMs: clock.nowMs(), admittedAtMs };
  trace.reserved = admission.reserve(key, typicalTokens(features), options);
}
