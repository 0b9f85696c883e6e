import type { ServiceFault } from "../domain/fault.ts";
import type { Logger } from "../ports/logger.ts";

/** Tells the operator of a request that failed through no fault of its caller's. */
export function logFault(logger: Logger, fault: ServiceFault, requestId: string): void {
  logger.error("Admin request failed", {
    requestId,
    code: fault.code,
    message: fault.message,
    ...(fault.cause === undefined ? {} : { cause: String(fault.cause) }),
  });
}
