import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { literalOf, nameOf, portOf } from "./public_url.ts";

/** A GET to an address that was checked. */
export interface PinnedRequest {
  readonly url: URL;
  /** The address to connect to; the URL's name is not looked up again. */
  readonly address: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** Sends a GET; resolves with its headers, body unread. */
export type SendPinned = (request: PinnedRequest) => Promise<IncomingMessage>;

/**
 * Connects to the checked address itself, so that a name that resolves to something else a moment
 * later (DNS rebinding) changes nothing. The platform's `fetch` cannot be told an address; here the
 * host is the address, and the name goes into `Host`, into TLS's server name, and is what the
 * certificate is checked against. No connection is kept or shared.
 */
export function sendPinned(
  { url, address, headers, signal }: PinnedRequest,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const secure = url.protocol === "https:";
    const options = {
      host: address,
      port: portOf(url),
      path: url.pathname + url.search,
      headers: { ...headers, host: url.host },
      agent: false as const,
      signal,
      setDefaultHeaders: false,
      ...(secure && literalOf(url) === undefined ? { servername: nameOf(url) } : {}),
    };
    const request = secure ? https.get(options, resolve) : http.get(options, resolve);
    request.on("error", reject);
  });
}
