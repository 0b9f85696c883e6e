/**
 * What the client library throws.
 *
 * @module
 */

import type { ErrorObject } from "./protocol/mod.ts";

/** The call cannot be made as configured; nothing was sent. */
export class ConfigurationError extends Error {
  /** Tells it from other errors where classes cannot be compared. */
  override name = "ConfigurationError";
}

/** No key is configured and the call needs one; nothing was sent. */
export class MissingAPIKeyError extends ConfigurationError {
  /** Tells it from other errors where classes cannot be compared. */
  override name = "MissingAPIKeyError";

  /** The message names both ways to give a key. */
  constructor() {
    super("Cannot call the service without an API key: pass apiKey or set SERVICE_API_KEY");
  }
}

/** What is known of an answer that is an error. */
export interface ServiceAPIErrorOptions {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Headers of the answer, `retry-after` among them where the service sent one. */
  readonly headers: Headers;
  /** The gateway's error object, or the whole body where it is no such thing. */
  readonly body: ErrorObject | unknown;
  /** The request to quote to the operator; absent where the answer names none. */
  readonly requestId?: string | undefined;
}

/** The service answered with an error. */
export class ServiceAPIError extends Error {
  /** Tells it from other errors where classes cannot be compared. */
  override name = "ServiceAPIError";
  /** HTTP status; 200 where an answer broke off, or a planned task failed. */
  readonly status: number;
  /** Headers of the answer, `retry-after` among them where the service sent one. */
  readonly headers: Headers;
  /** The gateway's error object; else what came in its place, for instance a proxy's page. */
  readonly body: ErrorObject | unknown;
  /** The request to quote to the operator; `undefined` where the answer names none. */
  readonly requestId: string | undefined;

  /** An error with the service's own message. */
  constructor(message: string, options: ServiceAPIErrorOptions) {
    super(message);
    this.status = options.status;
    this.headers = options.headers;
    this.body = options.body;
    this.requestId = options.requestId;
  }
}
