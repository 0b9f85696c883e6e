/**
 * Faults of vector stores of callers.
 *
 * @module
 */

import type { ErrorCode } from "@svc/sdk/protocol";
import { ServiceFault } from "../../domain/fault.ts";
import type {
  FileFailure,
  NewFile,
  VectorStoreOutcome,
  VectorStoreRefusal,
} from "../../ports/vector_stores.ts";

/**
 * Returns the failure to note: one that is the file's own, and for a file of a batch that there is no
 * room; `undefined` for a refusal of the whole request.
 */
export function failureOf(
  refusal: VectorStoreRefusal,
  { batchId }: Pick<NewFile, "batchId">,
): FileFailure | undefined {
  switch (refusal.code) {
    case "unsupported_media_type":
      return { code: "unsupported_file", message: refusal.message };
    case "unreadable":
    case "too_large":
      return { code: "invalid_file", message: refusal.message };
    case "full":
      if (batchId === undefined) return undefined;
      return { code: "server_error", message: refusal.message };
    default:
      return undefined;
  }
}

/** Returns a value, or throws the fault of its refusal. */
export function valueOf<T>(outcome: VectorStoreOutcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw faultOf(outcome.refusal);
}

/** Returns the fault of a refusal. */
export function faultOf(refusal: VectorStoreRefusal): ServiceFault {
  if (refusal.code === "store_not_found") return noStore();
  return new ServiceFault("policy_denied", { message: refusal.message });
}

/** True for a fault with a code. */
export function isFault(error: unknown, code: ErrorCode): error is ServiceFault {
  return error instanceof ServiceFault && error.code === code;
}

/** Returns the fault of a file that finds the line full. */
export function tooMany(): ServiceFault {
  return new ServiceFault("rate_limit_exceeded", {
    message: "Too many files wait to be read into vector stores; try again later",
    retryAfterMs: 5_000,
  });
}

/** Returns the fault of a store that is not there. */
export function noStore(): ServiceFault {
  return new ServiceFault("not_found", {
    message: "There is no such vector store: it never existed, has expired or was deleted",
    param: "vector_store_id",
  });
}

/** Returns the fault of a file that is not there. */
export function noFile(param: string): ServiceFault {
  return new ServiceFault("not_found", {
    message: "There is no such file: it never existed, has expired or was deleted",
    param,
  });
}

/** Returns the fault of a page of a text that is not there any more. */
export function anotherText(): ServiceFault {
  return new ServiceFault("invalid_request", {
    message:
      "The page is of a text that is not there any more: the file was added again; begin anew",
    param: "page",
  });
}
