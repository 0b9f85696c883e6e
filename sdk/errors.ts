/**
 * What the client library throws.
 *
 * @module
 */

import type { ErrorObject } from "./protocol/mod.ts";

/** The call cannot be made as configured; nothing was sent. */
export class ConfigurationError extends Error {
  override name = "ConfigurationError";
}

/** No key is configured and the call needs one; nothing was sent. */
export class MissingAPIKeyError extends ConfigurationError {
  override name = "MissingAPIKeyError";

  constructor() {
    super("Cannot call the service without an API key: pass apiKey or set SERVICE_API_KEY");
  }
}

/** What is known of an answer that is an error. */
export interface ServiceAPIErrorOptions {
  readonly status: number;
  readonly headers: Headers;
  /** The gateway's error object, or the whole body where it is no such thing. */
  readonly body: ErrorObject | unknown;
  readonly requestId?: string | undefined;
}

/** The service answered with an error. */
export class ServiceAPIError extends Error {
  override name = "ServiceAPIError";
  /** HTTP status; 200 where an answer broke off, or a planned task failed. */
  readonly status: number;
  readonly headers: Headers;
  readonly body: ErrorObject | unknown;
  /** The request to quote to the operator. */
  readonly requestId: string | undefined;

  constructor(message: string, options: ServiceAPIErrorOptions) {
    super(message);
    this.status = options.status;
    this.headers = options.headers;
    this.body = options.body;
    this.requestId = options.requestId;
  }
}
