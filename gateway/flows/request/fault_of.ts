import { ServiceFault } from "../../domain/fault.ts";
import type { Logger } from "../../ports/logger.ts";
import { StoreError } from "../../ports/store_error.ts";
import { UpstreamCut } from "../../ports/upstream.ts";

/**
 * Returns the part of an error that may be disclosed: a fault as it is, failures of the store and of
 * upstreams under their codes, and everything else as `internal`.
 */
export function faultOf(error: unknown): ServiceFault {
  if (error instanceof ServiceFault) return error;
  if (error instanceof StoreError) return new ServiceFault("store_unavailable", { cause: error });
  if (error instanceof UpstreamCut) {
    const isLate = error.outcome === "timeout";
    return new ServiceFault(isLate ? "upstream_timeout" : "upstream_error", { cause: error });
  }
  return new ServiceFault("internal", { cause: error });
}

/** Returns the fault that a caller receives for an error, and logs the details of a bug. */
export function faultForCaller(
  { logger }: { readonly logger: Logger },
  error: unknown,
  requestId: string,
): ServiceFault {
  const fault = faultOf(error);
  if (fault.code === "internal") {
    const cause = error instanceof Error ? error.stack ?? error.message : String(error);
    logger.error("internal_error", { requestId, cause });
  }
  return fault;
}
