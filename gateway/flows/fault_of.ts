import { ServiceFault } from "../domain/fault.ts";
import { StoreError } from "../ports/store_error.ts";

/** What of an error may leave: a fault as it is, a store's failure as 503, anything else as 500. */
export function faultOf(error: unknown): ServiceFault {
  if (error instanceof ServiceFault) return error;
  if (error instanceof StoreError) return new ServiceFault("store_unavailable", { cause: error });
  return new ServiceFault("internal", { cause: error });
}
