/**
 * POST requests over plain HTTP, by undici's dispatcher: half the processor time of the platform's
 * `fetch`, which also hands on each chunk of a chunked response by itself.
 *
 * @module
 */

import { buildConnector, Client, type Dispatcher, Pool } from "undici";
import { withoutInterim } from "./interim_heads.ts";
import { PlainAnswer } from "./plain_answer.ts";

/** Maximum length of the response's headers, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Maximum number of the response's headers, as for `fetch`. */
const MAX_HEADERS = 100;
/** The name that the platform's `fetch` gives itself; reading it is slow. */
const USER_AGENT = navigator.userAgent;

/** The side that waits for an answer, and may stop waiting. */
export interface Stopping {
  /** The same as a signal, for a name that must be resolved first. */
  readonly signal: AbortSignal;
  readonly isStopped: boolean;
  /** Sets the callback for the moment of the stop; it is called at once where that has passed. */
  whenStopped(callback: () => void): void;
}

/** A request to a checked address. */
export interface PlainRequest {
  readonly url: URL;
  /** The address to connect to. @default {the URL's host} */
  readonly address?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly stopping: Pick<Stopping, "whenStopped">;
}

/** Connections over plain HTTP, kept open between requests. */
export class PlainHttp {
  readonly #pools = new Map<string, Pool>();
  readonly #idleMs: number | undefined;

  /** Opens no connection yet. A connection is closed once it is idle for `poolIdleTimeout` ms. */
  constructor({ poolIdleTimeout }: Pick<Deno.CreateHttpClientOptions, "poolIdleTimeout"> = {}) {
    this.#idleMs = typeof poolIdleTimeout === "number" ? poolIdleTimeout : undefined;
  }

  /**
   * Sends a request once: it is not repeated where a kept connection dies under it, because a
   * provider may have executed it, and would bill both. Resolves with the headers; the body is
   * unread. Follows no redirect and decompresses nothing.
   */
  send({ url, address, headers, body, stopping }: PlainRequest): Promise<PlainAnswer> {
    return new Promise((resolve, reject) => {
      const waiting = new Waiting(resolve, reject);
      stopping.whenStopped(() => waiting.stop());
      if (waiting.isStopped) return;
      this.#poolOf(url, address).dispatch({
        method: "POST",
        path: url.pathname + url.search,
        headers: { "user-agent": USER_AGENT, ...headers, host: url.host },
        body,
      }, waiting);
    });
  }

  /** Closes all connections; call it once no request is in flight. */
  close(): void {
    for (const pool of this.#pools.values()) void pool.destroy();
    this.#pools.clear();
  }

  #poolOf({ hostname, port }: URL, address: string = hostname): Pool {
    const host = address.includes(":") && !address.startsWith("[") ? `[${address}]` : address;
    const origin = `http://${host}:${port || 80}`;
    const existing = this.#pools.get(origin);
    if (existing !== undefined) return existing;
    const pool = new Pool(origin, {
      // The caller has time limits of its own.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: MAX_HEADER_BYTES,
      ...(this.#idleMs === undefined ? {} : { keepAliveTimeout: this.#idleMs }),
      factory: (url, options) => new OneConnection(url, options),
    });
    this.#pools.set(origin, pool);
    return pool;
  }
}

/** A client of one connection, which may receive `100 Continue` without having asked for it. */
class OneConnection extends Client {
  readonly #turn: { awaitsHead: boolean };

  constructor(url: URL, options: Client.Options) {
    const turn = { awaitsHead: false };
    const connect = buildConnector({ timeout: 0 });
    super(url, {
      ...options,
      connect: (target, callback) =>
        connect(target, (...[error, socket]) => {
          if (error !== null) return callback(error, null);
          withoutInterim(socket, () => turn.awaitsHead);
          callback(null, socket);
        }),
    });
    this.#turn = turn;
  }

  override dispatch(
    options: Dispatcher.DispatchOptions,
    handler: Dispatcher.DispatchHandler,
  ): boolean {
    if (handler instanceof Waiting) handler.turn = this.#turn;
    return super.dispatch(options, handler);
  }
}

/** A request until its headers arrive; then it passes on the body. */
class Waiting implements Dispatcher.DispatchHandler {
  /** The state of its connection. */
  turn = { awaitsHead: false };
  readonly #resolve: (answer: PlainAnswer) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #answer: PlainAnswer | undefined;
  /** True once the caller does not wait any more. */
  isStopped = false;

  constructor(resolve: (answer: PlainAnswer) => void, reject: (error: Error) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Ends the request, also before it is sent. */
  stop(): void {
    this.isStopped = true;
    this.#reject(stopped());
    this.#controller?.abort(stopped());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.turn.awaitsHead = true;
    if (this.isStopped) controller.abort(stopped());
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.turn.awaitsHead = false;
    const { rawHeaders } = controller;
    if (Array.isArray(rawHeaders) && rawHeaders.length > 2 * MAX_HEADERS) {
      return controller.abort(new Error("The response has too many headers"));
    }
    this.#answer = new PlainAnswer(controller, { status, headers });
    this.#resolve(this.#answer);
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Uint8Array): void {
    this.#answer?.take(bytes);
  }

  onResponseEnd(): void {
    this.#answer?.end();
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    if (this.#answer === undefined) this.#reject(error);
    else this.#answer.end({ error });
  }
}

function stopped(): Error {
  return new DOMException("The request was stopped", "AbortError");
}
