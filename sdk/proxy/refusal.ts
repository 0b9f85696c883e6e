import { ERROR_TABLE, type ErrorCode, type ErrorEnvelope } from "../protocol/mod.ts";

/** Why the proxy answers by itself. */
export interface Refusal {
  /** A row of the error table. */
  readonly code: ErrorCode;
  /** In place of the row's own message. */
  readonly message?: string;
  /** What of the request is at fault. */
  readonly param?: string;
  /** Headers that the status calls for. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal in the gateway's error shape, so that browser code knows one shape alone. */
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
