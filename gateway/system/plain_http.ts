/**
 * POST requests over plain HTTP whose response is read as it arrives on the socket. The platform's
 * `fetch` hands on each chunk of a chunked response by itself; `node:http` hands on all that a read
 * of the socket brought.
 *
 * @module
 */

import http, { type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

/** Maximum length of the response's headers, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;
/** Maximum number of the response's headers, as for `fetch`. */
const MAX_HEADERS = 100;

/** A request to a checked address. */
export interface PlainRequest {
  readonly url: URL;
  /** The address to connect to. @default {the URL's host} */
  readonly address?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/**
 * Keeps the platform from sending a request again where a kept connection dies under it: a provider
 * may have executed it, and would bill both.
 */
class OnceAgent extends http.Agent {
  override reuseSocket(socket: Duplex, request: http.ClientRequest): void {
    super.reuseSocket(socket, request);
    // The platform repeats only requests with this mark.
    request.reusedSocket = false;
  }
}

/** Connections over plain HTTP, kept open between requests. */
export class PlainHttp {
  readonly #agent: http.Agent;

  /** Opens no connection yet. A connection is closed once it is idle for `poolIdleTimeout` ms. */
  constructor(
    { poolMaxIdlePerHost, poolIdleTimeout }: Pick<
      Deno.CreateHttpClientOptions,
      "poolMaxIdlePerHost" | "poolIdleTimeout"
    > = {},
  ) {
    this.#agent = new OnceAgent({
      keepAlive: true,
      ...(poolMaxIdlePerHost === undefined ? {} : { maxFreeSockets: poolMaxIdlePerHost }),
      ...(typeof poolIdleTimeout === "number" ? { timeout: poolIdleTimeout } : {}),
    });
  }

  /**
   * Sends a request once: it is not repeated where a kept connection dies. Resolves with the
   * headers; the body is unread. Follows no redirect and decompresses nothing.
   */
  send({ url, address, headers, body, signal }: PlainRequest): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const request = http.request({
        agent: this.#agent,
        method: "POST",
        host: address ?? url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port || 80,
        path: url.pathname + url.search,
        headers: { "user-agent": navigator.userAgent, ...headers, host: url.host },
        maxHeaderSize: MAX_HEADER_BYTES,
        signal,
      }, (message) => {
        // Its reader learns from its end that the body broke off.
        message.on("error", () => {});
        if (message.rawHeaders.length <= 2 * MAX_HEADERS) return resolve(message);
        message.destroy();
        reject(new Error("The response has too many headers"));
      });
      request.on("error", reject);
      request.on("upgrade", (_message, socket: Duplex) => {
        socket.destroy();
        reject(new Error("The server switched protocols"));
      });
      request.end(body);
    });
  }

  /** Closes all connections; call it once no request is in flight. */
  close(): void {
    this.#agent.destroy();
  }
}
