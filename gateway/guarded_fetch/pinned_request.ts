import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { literalOf, nameOf, portOf } from "./public_url.ts";

/** A request to a checked address. */
export interface PinnedRequest {
  readonly url: URL;
  /** The address to connect to; the URL's name is not resolved again. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Sent by a POST. @default {none: a GET} */
  readonly body?: string | undefined;
}

/** Sends a request. Resolves with the answer's headers; its body is unread. */
export type SendPinned = (request: PinnedRequest) => Promise<IncomingMessage>;

/**
 * Connects to the checked address, so that a name that resolves differently a moment later (DNS
 * rebinding) has no effect. The platform's `fetch` takes no address. Here the host is the address;
 * the name is sent in `Host` and as TLS's server name, and the certificate is checked against it.
 * Connections are not reused.
 */
export function sendPinned(
  { url, address, headers, signal, body }: PinnedRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === "https:";
    const options = {
      method: body === undefined ? "GET" : "POST",
      host: address,
      port: portOf(url),
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host },
      agent: false as const,
      signal,
      setDefaultHeaders: false,
      ...(secure && literalOf(url) === undefined ? { servername: nameOf(url) } : {}),
    };
    const request = secure ? https.request(options, resolve) : http.request(options, resolve);
    request.on("error", reject);
    request.end(body);
  });
}
