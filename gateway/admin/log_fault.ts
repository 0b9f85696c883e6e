import type { ServiceFault } from "../domain/fault.ts";
import type { Logger } from "../ports/logger.ts";

/** Logs a request that failed through no fault of its caller. */
export function logFault(logger: Logger, fault: ServiceFault, requestId: string): void {
  logger.error("Admin request failed", {
    requestId,
    code: fault.code,
    message: fault.message,
    ...(fault.cause === undefined ? {} : { cause: String(fault.cause) }),
  });
}
