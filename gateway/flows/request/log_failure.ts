import type { Logger } from "../../ports/logger.ts";
import type { RequestLog } from "../../ports/request_log.ts";
import type { ActiveRequest } from "./active_request.ts";
import { CallerDisconnected } from "./caller_disconnected.ts";
import { faultOf } from "./fault_of.ts";

/** Status that proxies log for a caller that disconnected; no client receives it. */
export const CALLER_DISCONNECTED_STATUS = 499;
/** Status of an answer that began as a stream before it failed. */
const HEAD_STATUS = 200;

/** Parts of the service that logging a failure uses. */
export interface LogFailureDeps {
  readonly log: Pick<RequestLog, "append">;
  readonly logger: Logger;
}

/** Writes a failed request to the request log, without waiting for the write. */
export function logFailure(deps: LogFailureDeps, active: ActiveRequest, error: unknown): void {
  const fault = error instanceof CallerDisconnected ? undefined : faultOf(error);
  const status = fault?.status ?? CALLER_DISCONNECTED_STATUS;
  const record = active.record({
    status: active.isHeadSent ? HEAD_STATUS : status,
    outcome: fault === undefined ? "client_left" : "error",
    errorCode: fault?.code,
  });
  deps.log.append(record).catch((cause) =>
    deps.logger.error("request_not_logged", { logId: record.id, cause: String(cause) })
  );
}
