import {
  ConfigurationError,
  ServiceAPIError,
  ServiceError,
  ServiceTimeoutError,
} from "../errors.ts";

/** Anthropic's names of errors, by status. */
const TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  405: "invalid_request_error",
  409: "conflict_error",
  413: "request_too_large",
  415: "invalid_request_error",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

/** Headers of the service's error that clients obey. */
const PASSED = ["retry-after", "x-should-retry"];

/** An error in the terms of Anthropic's API. */
export interface Problem {
  /** HTTP status. */
  readonly status: number;
  /** A sentence for a person. */
  readonly message: string;
  /** Machine-readable details. */
  readonly details?: unknown;
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the body of an error. */
export function errorBody({ status, message, details }: Problem, requestId: string): object {
  const error = { type: TYPES[status] ?? "api_error", message };
  return {
    type: "error",
    error: details === undefined ? error : { ...error, details },
    request_id: requestId,
  };
}

/** Returns an error as the answer to a request. */
export function errorAnswer(problem: Problem, requestId: string): Response {
  const { headers, status } = problem;
  return Response.json(errorBody(problem, requestId), {
    status,
    headers: { ...headers, "cache-control": "no-store", "request-id": requestId },
  });
}

/**
 * Returns the problem of a call that failed. The text of an error that is not of this library stays
 * here: it may hold anything.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof ServiceAPIError) return serviceProblem(error);
  if (error instanceof ConfigurationError) return { status: 400, message: error.message };
  if (error instanceof ServiceTimeoutError) {
    // The call may have been executed: a client that repeats it by itself would pay twice.
    return { status: 504, message: error.message, headers: { "x-should-retry": "false" } };
  }
  return error instanceof ServiceError
    ? { status: 502, message: error.message }
    : { status: 500, message: "The bridge ended the call" };
}

function serviceProblem(error: ServiceAPIError): Problem {
  const headers = Object.fromEntries(PASSED.flatMap((name) => {
    const value = error.headers.get(name);
    return value === null ? [] : [[name, value]];
  }));
  return { status: statusOf(error), message: messageOf(error), headers };
}

function statusOf({ status }: ServiceAPIError): number {
  // Anthropic's clients know an overloaded service by a status of its own.
  if (status === 503) return 529;
  // An answer that broke off, or a planned task that failed, came with a 200.
  return status >= 400 ? status : 502;
}

function messageOf({ code, message, status }: ServiceAPIError): string {
  // Clients that shorten a conversation by themselves look for these words.
  if (code === "context_length_exceeded") return `prompt is too long: ${message}`;
  return status === 401 ? `The service refuses the key of the bridge: ${message}` : message;
}
