import { ERROR_TABLE, type ErrorCode, type ErrorEnvelope } from "../protocol/mod.ts";

/** An answer of the proxy itself. */
export interface Refusal {
  /** Code of the error table. */
  readonly code: ErrorCode;
  /** Message in place of the table's. */
  readonly message?: string;
  /** Path of the invalid part of the request. */
  readonly param?: string;
  /** Headers that the status demands. */
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Returns a refusal in the gateway's error shape, so that browser code has to read only one shape.
 */
export function refused(refusal: Refusal, requestId: string): Response {
  const { code, headers, param = null } = refusal;
  const { message, status, type } = ERROR_TABLE[code];
  const envelope: ErrorEnvelope = {
    error: { message: refusal.message ?? message, type, code, param, request_id: requestId },
  };
  return Response.json(envelope, {
    status,
    headers: { ...headers, "cache-control": "no-store", "x-request-id": requestId },
  });
}
