import { ERROR_TABLE, type ErrorCode, type ErrorEnvelope } from "@svc/sdk/protocol";

/** Maximum length of a message and of a field path in a response; both may quote the request. */
export const FAULT_MAX_CHARS = 2_000;

/** Details of a fault besides its code. */
export interface FaultDetails {
  /** One sentence for the caller: the problem and its remedy. @default {the code's own message} */
  readonly message?: string | undefined;
  /** Path of the offending field. */
  readonly param?: string | undefined;
  /** Milliseconds after which a retry makes sense; `Infinity` when none does. */
  readonly retryAfterMs?: number | undefined;
  /** Additional response headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Additional members of `error` in the response, which clients show with it. */
  readonly members?: Readonly<Record<string, unknown>> | undefined;
  /** Additional members beside `error` in the response. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** For the operator's log; never sent. */
  readonly cause?: unknown;
}

/** The only error class that answers a request: a row of the error table with its details. */
export class ServiceFault extends Error {
  override name = "ServiceFault";
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, details: FaultDetails = {}) {
    super(
      presentable(details.message ?? ERROR_TABLE[code].message),
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.param = details.param === undefined ? undefined : presentable(details.param);
    this.retryAfterMs = details.retryAfterMs;
    this.headers = details.headers ?? {};
    this.members = details.members ?? {};
    this.extra = details.extra ?? {};
  }

  /** HTTP status of the response. */
  get status(): number {
    return ERROR_TABLE[this.code].status;
  }

  /** Returns the body of the response. */
  envelope(requestId: string): ErrorEnvelope {
    return {
      error: {
        message: this.message,
        type: ERROR_TABLE[this.code].type,
        code: this.code,
        param: this.param ?? null,
        request_id: requestId,
        ...this.members,
      },
      ...this.extra,
    };
  }
}

/** True when clients retry a response with this status unless told otherwise. */
export function isRepeated(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Replaces lone surrogates, which some JSON readers refuse. */
function presentable(text: string): string {
  return text.slice(0, FAULT_MAX_CHARS).toWellFormed();
}
