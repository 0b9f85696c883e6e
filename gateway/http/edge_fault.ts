/**
 * Checks of a request before any of it is read. By then the platform has refused, with an empty
 * 400, requests that it cannot frame: more than 128 headers or 64 KiB of them, two different
 * lengths, a length beside chunks, folded lines, bytes that no header may have. Requests that it
 * accepts but that two readers could take for two requests are refused here.
 *
 * @module
 */

import { ServiceFault } from "../domain/fault.ts";
import { hostName } from "./allowed_hosts.ts";

/** Maximum length of an address with its query, in UTF-16 code units. */
export const MAX_ADDRESS_CHARS = 8_192;

/** Returns the fault of a request to one of these hosts, or `undefined` where it has none. */
export function edgeFault(
  request: Request,
  allowed: ReadonlySet<string> | undefined,
): ServiceFault | undefined {
  const { headers, url } = request;
  const header = headers.get("host") ?? "";
  const host = hostName(header);
  if (host === undefined) {
    return invalid("Send one Host header with a host name or an address", "Host");
  }
  if (allowed !== undefined && !allowed.has(host)) {
    const message = `Cannot answer as the host "${host}"; the operator names it by ` +
      "SERVICE_PUBLIC_URL, or by SERVICE_ADMIN_URLS for the admin listener";
    return invalid(message, "Host");
  }
  // The request line may name a host too. A hostile Host also changes the path in `url`.
  if (!isAt(url, header)) {
    return invalid("The request line names another host than the Host header", "Host");
  }
  if (url.length > MAX_ADDRESS_CHARS) {
    return invalid(`The address is longer than ${MAX_ADDRESS_CHARS} characters`);
  }
  // The platform decodes chunks; another coding below them would reach the body's reader undecoded.
  const coding = headers.get("transfer-encoding");
  if (coding !== null && coding.toLowerCase() !== "chunked") {
    return invalid('Send the body with no transfer coding but "chunked"', "Transfer-Encoding");
  }
  return undefined;
}

function isAt(url: string, host: string): boolean {
  const start = `http://${host}`;
  return url.startsWith(start) &&
    (url.length === start.length || "/?".includes(url.charAt(start.length)));
}

function invalid(message: string, param?: string): ServiceFault {
  return new ServiceFault("invalid_request", {
    message,
    param,
    // The next request on this connection may not begin where it seems to.
    headers: { connection: "close" },
  });
}
