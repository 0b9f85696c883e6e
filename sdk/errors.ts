/**
 * The errors of the client library.
 *
 * `instanceof` holds across copies of the package: an application and one of its libraries may each
 * have loaded one.
 *
 * @module
 */

import { printable } from "./printable.ts";
import type { ErrorObject } from "./protocol/mod.ts";

/** Longest code and longest request id that is taken from an answer, in UTF-16 code units. */
const LONGEST_NAME = 128;

/** Key that all copies of the package share. */
const FAMILY = Symbol.for("@svc/sdk/error");

/**
 * Any error of this library.
 *
 * @example
 * ```ts
 * import { ServiceError, ServiceTimeoutError } from "@svc/sdk";
 * import { assert } from "@std/assert";
 *
 * assert(new ServiceTimeoutError(60_000) instanceof ServiceError);
 * assert(!(new Error("From another library") instanceof ServiceError));
 * ```
 */
export class ServiceError extends Error {
  /** The class's name, for code that cannot compare classes. */
  override name = "ServiceError";
  /** The class's name, in minified code too. */
  static readonly kind: string = "ServiceError";

  /** Names of this class and its parents, for the classes of another copy. */
  get [FAMILY](): readonly string[] {
    return lineage(this.constructor);
  }

  /** True for an instance of this class from any copy of the package. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    // A subclass of the application is known by its prototype alone.
    if (!Object.hasOwn(this, "kind")) {
      return Function.prototype[Symbol.hasInstance].call(this, value);
    }
    const family: unknown = Object(value)[FAMILY];
    return Array.isArray(family) && family.includes(this.kind);
  }
}

/**
 * The call cannot be made as configured; nothing was sent.
 *
 * @example
 * ```ts
 * import { ConfigurationError, ServiceClient } from "@svc/sdk";
 * import { assertThrows } from "@std/assert";
 *
 * const options = { apiBaseUrl: "svc.example" };
 * assertThrows(() => new ServiceClient(options), ConfigurationError, "no http(s) URL");
 * ```
 */
export class ConfigurationError extends ServiceError {
  /** The class's name, in minified code too. */
  static override readonly kind: string = "ConfigurationError";
  /** The class's name, for code that cannot compare classes. */
  override name = "ConfigurationError";
}

/**
 * No key is configured and the call needs one; nothing was sent.
 *
 * @example
 * ```ts
 * import { MissingAPIKeyError, ServiceClient } from "@svc/sdk";
 * import { assertRejects } from "@std/assert";
 *
 * const client = new ServiceClient({ apiKey: "" });
 * await assertRejects(() => client.pricing.retrieve(), MissingAPIKeyError);
 * ```
 */
export class MissingAPIKeyError extends ConfigurationError {
  /** The class's name, in minified code too. */
  static override readonly kind: string = "MissingAPIKeyError";
  /** The class's name, for code that cannot compare classes. */
  override name = "MissingAPIKeyError";

  /** Creates an error whose message names both ways to give a key. */
  constructor() {
    super("Cannot call the service without an API key: pass apiKey or set SERVICE_API_KEY");
  }
}

/**
 * No answer within the time limit. The call may have been executed, and billed.
 *
 * @example
 * ```ts
 * import { ServiceTimeoutError } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(new ServiceTimeoutError(60_000).timeoutMs, 60_000);
 * ```
 */
export class ServiceTimeoutError extends ServiceError {
  /** The class's name, in minified code too. */
  static override readonly kind: string = "ServiceTimeoutError";
  /** The class's name, for code that cannot compare classes. */
  override name = "ServiceTimeoutError";
  /** The limit in milliseconds. */
  readonly timeoutMs: number;

  /** Creates an error whose message names the limit. */
  constructor(timeoutMs: number, options?: ErrorOptions) {
    super(`The call took longer than timeoutMs, ${timeoutMs} ms`, options);
    this.timeoutMs = timeoutMs;
  }
}

/**
 * The service could not be reached, or the connection broke before the answer was complete. The
 * platform's error is its `cause`.
 *
 * @example
 * ```ts
 * import { ServiceClient, ServiceConnectionError } from "@svc/sdk";
 * import { assertRejects } from "@std/assert";
 *
 * const client = new ServiceClient({ fetch: () => Promise.reject(new TypeError("refused")) });
 * await assertRejects(() => client.models.list(), ServiceConnectionError, "Cannot reach");
 * ```
 */
export class ServiceConnectionError extends ServiceError {
  /** The class's name, in minified code too. */
  static override readonly kind: string = "ServiceConnectionError";
  /** The class's name, for code that cannot compare classes. */
  override name = "ServiceConnectionError";
}

/** Data of an answer that is an error. */
export interface ServiceAPIErrorOptions {
  /** HTTP status of the answer. */
  readonly status: number;
  /** Headers of the answer, with `retry-after` when the service sent one. */
  readonly headers: Headers;
  /** The gateway's error object, or the whole body when it is another value. */
  readonly body: ErrorObject | unknown;
  /** Id of the request, to quote to the operator; absent when the answer has none. */
  readonly requestId?: string | undefined;
}

/**
 * The service answered with an error.
 *
 * Printed, it shows neither headers nor body: a proxy in between may have echoed a key or a prompt.
 * Message, code and request id are safe to print: control characters in them are spaces.
 *
 * @example
 * ```ts
 * import { ServiceAPIError, ServiceClient } from "@svc/sdk";
 * import { assertEquals, assertRejects } from "@std/assert";
 *
 * const error = { message: "Add credits", code: "insufficient_balance", request_id: "req_1" };
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   fetch: () => Promise.resolve(Response.json({ error }, { status: 402 })),
 * });
 * const refused = await assertRejects(
 *   () => client.images.generate({ prompt: "A cat" }),
 *   ServiceAPIError,
 * );
 * assertEquals([refused.status, refused.code], [402, "insufficient_balance"]);
 * assertEquals([refused.message, refused.requestId], ["Add credits", "req_1"]);
 * ```
 */
export class ServiceAPIError extends ServiceError {
  /** The class's name, in minified code too. */
  static override readonly kind: string = "ServiceAPIError";
  /** The class's name, for code that cannot compare classes. */
  override name = "ServiceAPIError";
  /** HTTP status; 200 when an answer broke off or a planned task failed. */
  readonly status: number;
  /**
   * The gateway's error code, for instance `insufficient_balance`; `undefined` when it has none. At
   * most 128 characters.
   */
  readonly code: string | undefined;
  /**
   * Id of the request, to quote to the operator; `undefined` when the answer has none. At most 128
   * characters.
   */
  readonly requestId: string | undefined;
  readonly #headers: Headers;
  readonly #body: ErrorObject | unknown;

  /** Creates an error with the service's own message. */
  constructor(message: string, options: ServiceAPIErrorOptions) {
    super(printable(message));
    const { body, headers, requestId, status } = options;
    const { code } = Object(body) as { code?: unknown };
    this.status = status;
    this.code = typeof code === "string" ? named(code) : undefined;
    this.requestId = requestId === undefined ? undefined : named(requestId);
    this.#headers = headers;
    this.#body = body;
  }

  /** Headers of the answer, with `retry-after` when the service sent one. */
  get headers(): Headers {
    return this.#headers;
  }

  /**
   * The gateway's error object, or the body in its place, for instance a proxy's page; `undefined`
   * when that was longer than {@linkcode LONGEST_ERROR_BYTES}. As received.
   */
  get body(): ErrorObject | unknown {
    return this.#body;
  }
}

/**
 * A run failed or was stopped after at least one step: `cause` is the reason, `result` has
 * everything that was complete. Its conversation can be sent again.
 *
 * Printed, it does not show the result: prompts and tool inputs do not belong in a log.
 *
 * @example
 * ```ts
 * import { RunError, ServiceTimeoutError } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const error = new RunError({ steps: ["first"] }, { cause: new ServiceTimeoutError(5) });
 * assertEquals(error.result.steps, ["first"]);
 * assertEquals(error.message, "The call took longer than timeoutMs, 5 ms");
 * ```
 */
export class RunError<Result = unknown> extends ServiceError {
  /** The class's name, in minified code too. */
  static override readonly kind: string = "RunError";
  /** The class's name, for code that cannot compare classes. */
  override name = "RunError";
  readonly #result: Result;

  /** Creates an error with the cause's message when the cause is an error of this library. */
  constructor(result: Result, options: { readonly cause: unknown }) {
    const { cause } = options;
    super(cause instanceof ServiceError ? cause.message : "The run was stopped early", options);
    this.#result = result;
  }

  /** The result of the run so far. */
  get result(): Result {
    return this.#result;
  }
}

function named(text: string): string {
  return printable(text.slice(0, LONGEST_NAME));
}

/** Returns the kinds of a class and its parents. */
function lineage(constructor: unknown): readonly string[] {
  const kinds: string[] = [];
  for (let type = constructor; typeof type === "function"; type = Object.getPrototypeOf(type)) {
    if (Object.hasOwn(type, "kind") && "kind" in type) kinds.push(String(type.kind));
  }
  return kinds;
}
