/**
 * POST requests over plain HTTP whose response is read as it arrives on the socket. The platform's
 * `fetch` hands on each chunk of a chunked response by itself, at some 15 µs each; `node:http` hands
 * on all that a read of the socket brought.
 *
 * @module
 */

import http, { type IncomingMessage } from "node:http";

/** Maximum length of the response's headers, in bytes. */
const MAX_HEADER_BYTES = 64 * 1024;

/** A request to a checked address. */
export interface PlainRequest {
  readonly url: URL;
  /** The address to connect to. @default {the URL's host} */
  readonly address?: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** A response whose body is unread. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly message: IncomingMessage;
}

/** Connections over plain HTTP, kept open between requests. */
export class PlainHttp {
  readonly #agent: http.Agent;

  /** `poolIdleTimeout`: time after which an idle connection is closed, in milliseconds. */
  constructor(
    { poolMaxIdlePerHost, poolIdleTimeout }: Pick<
      Deno.CreateHttpClientOptions,
      "poolMaxIdlePerHost" | "poolIdleTimeout"
    > = {},
  ) {
    this.#agent = new http.Agent({
      keepAlive: true,
      ...(poolMaxIdlePerHost === undefined ? {} : { maxFreeSockets: poolMaxIdlePerHost }),
      ...(typeof poolIdleTimeout === "number" ? { timeout: poolIdleTimeout } : {}),
    });
  }

  /**
   * Sends a request once: it is not repeated where a kept connection dies. Resolves with the
   * headers. Follows no redirect and decompresses nothing.
   */
  send({ url, address, headers, body, signal }: PlainRequest): Promise<PlainResponse> {
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
        const received = new Headers();
        const { rawHeaders } = message;
        for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
          received.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
        }
        resolve({ status: message.statusCode ?? 0, headers: received, message });
      });
      // Once the response has begun, its reader learns of errors.
      request.on("error", reject);
      request.end(body);
    });
  }

  /** Closes all connections; call it once no request is in flight. */
  close(): void {
    this.#agent.destroy();
  }
}

/** Returns the response as `fetch` would. */
export function responseOf({ status, headers, message }: PlainResponse): Response {
  const isBare = status === 204 || status === 205 || status === 304;
  if (isBare) message.resume();
  return new Response(isBare ? null : ReadableStream.from(message), { status, headers });
}
