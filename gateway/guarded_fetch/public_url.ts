import type { Unreadable } from "../ports/fetch_image.ts";
import { isPublicAddress } from "./public_address.ts";

/** Maximum length of an address, in UTF-16 code units. */
export const MAX_URL_CHARS = 4_096;
/** Allowed ports: those of the web. */
export const WEB_PORTS: readonly number[] = [80, 443];

/** Options of the check; tests differ from the service in them. */
export interface UrlPolicy {
  /** @default {WEB_PORTS} */
  readonly ports?: readonly number[] | undefined;
  /** Returns true for an address that may be connected to. @default {isPublicAddress} */
  readonly allows?: ((address: string) => boolean) | undefined;
}

// Reserved names, and names that clouds and home networks resolve internally.
const PRIVATE_NAMES =
  /(?:^|\.)(?:localhost|localdomain|local|internal|intranet|lan|home|corp|private|test|invalid|onion|home\.arpa|in-addr\.arpa|ip6\.arpa)$/;
const PLAIN_NAME = /^(?=.{1,253}$)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z0-9-]{2,63}$/;

/**
 * Reads a public http(s) address, without resolving its name. Decimal, octal, hexadecimal and short
 * forms of an IPv4 address are read as the address they mean.
 */
export function readPublicUrl(text: string, policy: UrlPolicy = {}): URL | Unreadable {
  if (text.length > MAX_URL_CHARS) {
    return { problem: `the URL is longer than ${MAX_URL_CHARS} characters` };
  }
  // The parser drops tabs and line breaks, trims, and reads backslashes as slashes.
  const url = /[\s\\\p{Cc}]/u.test(text) ? null : URL.parse(text);
  if (url === null || !/^https?:\/\//i.test(text) || !/^https?:$/.test(url.protocol)) {
    return { problem: "it is not an http(s) URL or a base64 data URI" };
  }
  if (url.username !== "" || url.password !== "") {
    return { problem: "the URL has a user name or password in it" };
  }
  if (!(policy.ports ?? WEB_PORTS).includes(portOf(url))) {
    return { problem: `the URL names the port ${portOf(url)}, which is not allowed` };
  }
  const literal = literalOf(url);
  const reachable = literal === undefined
    ? PLAIN_NAME.test(nameOf(url)) && !PRIVATE_NAMES.test(nameOf(url))
    : (policy.allows ?? isPublicAddress)(literal);
  return reachable ? url : { problem: "the URL does not lead to a public address" };
}

/** Returns the port of an address. */
export function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

/** Returns the host's name, without a dot at its end. */
export function nameOf(url: URL): string {
  return url.hostname.replace(/\.$/, "");
}

/** Returns the host if it is an IP address. */
export function literalOf(url: URL): string | undefined {
  const { hostname } = url;
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  // The parser writes every form of an IPv4 address as four decimal numbers.
  return /^[\d.]+$/.test(hostname) ? hostname : undefined;
}
