import { ERROR_TABLE, type ErrorCode, type ErrorEnvelope } from "@svc/sdk/protocol";

/** Longest sentence, and longest path of a field, that is sent; both may quote what was sent here. */
export const FAULT_MAX_CHARS = 2_000;

/** What may be said of a fault besides its code. */
export interface FaultDetails {
  /** One sentence for the caller: what is wrong and what to do. @default {the code's own message} */
  readonly message?: string | undefined;
  /** Path of the offending field. */
  readonly param?: string | undefined;
  /** Milliseconds after which a retry makes sense; `Infinity` where it never does. */
  readonly retryAfterMs?: number | undefined;
  /** More headers of the answer. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** More fields beside `error` in the answer. */
  readonly extra?: Readonly<Record<string, unknown>> | undefined;
  /** For the operator's log; never sent. */
  readonly cause?: unknown;
}

/** The one error class that answers a request: a row of the error table with its details. */
export class ServiceFault extends Error {
  override name = "ServiceFault";
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
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
    this.extra = details.extra ?? {};
  }

  /** HTTP status of the answer. */
  get status(): number {
    return ERROR_TABLE[this.code].status;
  }

  /** Body of the answer. */
  envelope(requestId: string): ErrorEnvelope {
    return {
      error: {
        message: this.message,
        type: ERROR_TABLE[this.code].type,
        code: this.code,
        param: this.param ?? null,
        request_id: requestId,
      },
      ...this.extra,
    };
  }
}

/** Whether clients repeat a request that was refused so, unless they are told not to. */
export function isRepeated(status: number): boolean {
  return status === 408 || status === 409 || status === 429 || status >= 500;
}

/** Half a surrogate pair is no text: some readers of JSON refuse it. */
function presentable(text: string): string {
  return text.slice(0, FAULT_MAX_CHARS).toWellFormed();
}
