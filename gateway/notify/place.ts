/**
 * The check of the places that notifications go to: public addresses, unless the
 * process was started with the host in a list.
 *
 * @module
 */

import { isMetadataHost } from "../domain/catalog/metadata_address.ts";
import type { MailRoute } from "../domain/notices/target.ts";
import {
  checkedAddress,
  isPublicAddress,
  literalOf,
  nameOf,
  portOf,
  readPublicUrl,
} from "../guarded_fetch/mod.ts";
import { isUnreadable, type Unreadable } from "../ports/fetch_image.ts";

/** Options of the check. */
export interface PlacePolicy {
  /** Hosts that may have private addresses, and need no TLS. */
  readonly trustedHosts: readonly string[];
  /** Returns all addresses of a name. @default {the system's resolver} */
  readonly resolve?: ((name: string) => Promise<readonly string[]>) | undefined;
}

/** Returns the URL of a place, or why notifications cannot go there. Resolves no name. */
export function readPlace(text: string, policy: PlacePolicy): URL | Unreadable {
  const trusted = URL.parse(text);
  if (trusted !== null && isTrusted(trusted, policy)) {
    if (trusted.username === "" && trusted.password === "") return trusted;
    return { problem: "the URL has a user name or password in it" };
  }
  // The operator's receivers may listen on any port.
  const ports = trusted === null ? [] : [portOf(trusted)];
  const url = readPublicUrl(text, { ports });
  if (isUnreadable(url) || url.protocol === "https:") return url;
  return {
    problem: "the URL begins with http: use https, or name its host in SERVICE_NOTIFY_HOSTS",
  };
}

/**
 * Returns the URL of a mail server, or why it cannot be used. Without encryption, letters and a
 * password go to named hosts only, as plain `http` does.
 */
export function readMailHost(
  { host, port, security }: Pick<MailRoute, "host" | "port" | "security">,
  policy: PlacePolicy,
): URL | Unreadable {
  const name = host.includes(":") ? `[${host}]` : host;
  const url = readPlace(`https://${name}:${port}/`, policy);
  if (isUnreadable(url) || security !== "none" || isTrusted(url, policy)) return url;
  return {
    problem: "its letters would travel in the clear: use tls or starttls, or name its host in " +
      "SERVICE_NOTIFY_HOSTS",
  };
}

/** Returns the address to connect to. Resolves the name, and checks every address of it. */
export async function addressOf(
  url: URL,
  policy: PlacePolicy,
  signal: AbortSignal,
): Promise<string | Unreadable> {
  const trusted = isTrusted(url, policy);
  const allows = trusted ? (address: string) => !isMetadataHost(address) : isPublicAddress;
  const literal = literalOf(url);
  if (literal !== undefined && !allows(literal)) return NOT_PUBLIC;
  const address = await checkedAddress(url, { allows, signal, resolve: policy.resolve });
  return typeof address === "string" ? address : NOT_PUBLIC;
}

/** True where the process was started with this host as one that may be private. */
export function isTrusted(url: URL, { trustedHosts }: PlacePolicy): boolean {
  return trustedHosts.some((host) => host === nameOf(url) || host === literalOf(url));
}

const NOT_PUBLIC: Unreadable = {
  problem: "its host does not lead to a public address: name it in SERVICE_NOTIFY_HOSTS if it is " +
    "meant",
};
