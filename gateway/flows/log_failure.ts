import { CallerLeft } from "./caller_left.ts";
import type { GatewayContext } from "./context.ts";
import { faultOf } from "./fault_of.ts";
import type { RequestTrace } from "./request_trace.ts";

/** Status that proxies log for a caller who has gone; nobody receives it. */
export const CALLER_LEFT_STATUS = 499;

/** A request that was not answered is in the log too; its refusal does not wait for that. */
export function logFailure(gateway: GatewayContext, trace: RequestTrace, error: unknown): void {
  const fault = error instanceof CallerLeft ? undefined : faultOf(error);
  const record = trace.record({
    status: fault?.status ?? CALLER_LEFT_STATUS,
    outcome: fault === undefined ? "client_left" : "error",
    errorCode: fault?.code,
  });
  gateway.log.append(record).catch((cause) =>
    gateway.logger.error("request_not_logged", { logId: record.id, cause: String(cause) })
  );
}
