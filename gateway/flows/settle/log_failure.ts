import { CallerDisconnected } from "../call/caller_disconnected.ts";
import type { GatewayContext } from "../context.ts";
import { faultOf } from "../call/fault_of.ts";
import type { RequestTrace } from "../request_trace.ts";

/** Status that proxies log for a caller who has gone; nobody receives it. */
export const CALLER_LEFT_STATUS = 499;
/** Status of an answer that has begun as a stream before it failed. */
const HEAD_STATUS = 200;

/** A request that was not answered is in the log too; its refusal does not wait for that. */
export function logFailure(gateway: GatewayContext, trace: RequestTrace, error: unknown): void {
  const fault = error instanceof CallerDisconnected ? undefined : faultOf(error);
  const status = fault?.status ?? CALLER_LEFT_STATUS;
  const record = trace.record({
    status: trace.caller.hasHead?.() ? HEAD_STATUS : status,
    outcome: fault === undefined ? "client_left" : "error",
    errorCode: fault?.code,
  });
  gateway.log.append(record).catch((cause) =>
    gateway.logger.error("request_not_logged", { logId: record.id, cause: String(cause) })
  );
}
