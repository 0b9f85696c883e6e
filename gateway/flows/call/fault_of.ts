import { ServiceFault } from "../../domain/fault.ts";
import { UpstreamCut } from "../../ports/upstream.ts";
import { StoreError } from "../../ports/store_error.ts";

/** What of an error may leave: a fault as it is, failures of store and upstream by name, else 500. */
export function faultOf(error: unknown): ServiceFault {
  if (error instanceof ServiceFault) return error;
  if (error instanceof StoreError) return new ServiceFault("store_unavailable", { cause: error });
  if (error instanceof UpstreamCut) {
    const isLate = error.outcome === "timeout";
    return new ServiceFault(isLate ? "upstream_timeout" : "upstream_error", { cause: error });
  }
  return new ServiceFault("internal", { cause: error });
}
