import { ConfigurationError, type ServiceError } from "./errors.ts";
import { OneTimeBody } from "./one_time_body.ts";

/** The part of a request that is its body. A stream needs `duplex`. */
export interface BodyInitOfCall {
  readonly body?: BodyInit;
  readonly duplex?: "half";
}

/** The body of a call: each attempt opens it anew. */
export interface CallBody {
  /** Absent for a call without content. */
  readonly contentType: string | undefined;
  /** Failure of the content itself in the last attempt, which no repetition would cure. */
  readonly failure: ServiceError | undefined;
  /** Returns the body of an attempt, and ends that of the attempt before. */
  open(): BodyInitOfCall | Promise<BodyInitOfCall>;
  /** Ends the reading of the content. Repeated calls do nothing. */
  close(): void;
}

/**
 * Returns the body of a call with JSON, or without content.
 *
 * @throws {ConfigurationError} The value is not JSON.
 */
export function jsonBody(value: unknown, method: string): CallBody {
  const text = value === undefined ? undefined : jsonOf(value);
  // Deno repeats a request without a body by itself when a kept connection breaks. One that changes
  // something has a body without bytes.
  const hasBody = text !== undefined || method !== "GET";
  return {
    contentType: text === undefined ? undefined : "application/json",
    failure: undefined,
    open: () => hasBody ? { body: new OneTimeBody(text ?? "") } : {},
    close: () => {},
  };
}

function jsonOf(body: unknown): string {
  try {
    return JSON.stringify(body);
  } catch (cause) {
    throw new ConfigurationError("Cannot send the request: it is not JSON", { cause });
  }
}
