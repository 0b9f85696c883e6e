/**
 * Host names that a listener accepts. By DNS rebinding, any web page can point its own host name to
 * the address of this machine; then only the host name distinguishes its requests from others.
 *
 * @module
 */

import { ipInRanges } from "../domain/policy/ip_range.ts";

/** Names of the listeners of a service. */
export type ListenerName = "public" | "admin" | "metrics";

/** Settings that decide the accepted names of a listener. */
export interface HostSettings {
  readonly listener: ListenerName;
  /** Address or name that the listener is bound to. */
  readonly host: string;
  /** URLs under which the listener is known. */
  readonly urls?: readonly string[];
}

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "::1"];
const LOOPBACK_RANGES = ["127.0.0.0/8", "::1/128"];

const HOST = /^(?:([A-Za-z0-9._-]{1,253})|\[([0-9A-Fa-f:.]{2,45})\])(?::\d{1,5})?$/;

/**
 * Returns the names and addresses that `Host` may have, in lower case and without ports or
 * brackets. A public listener that others can reach takes any, since only its operators know its
 * names; the metrics listener takes any, since its page has no personal data and no secret.
 */
export function allowedHosts(settings: HostSettings): readonly string[] | "any" {
  const { listener, urls = [] } = settings;
  const host = bare(settings.host);
  if (listener === "metrics" || (listener === "public" && !isLoopback(host))) return "any";
  const known = urls.map((url) => bare(new URL(url).hostname));
  return [...new Set([...LOOPBACK_HOSTS, host, ...known])];
}

/** Returns the name or address in a `Host` header, or `undefined` where it has neither. */
export function hostName(header: string): string | undefined {
  const [, name, address] = HOST.exec(header) ?? [];
  return (name ?? address)?.toLowerCase();
}

function isLoopback(host: string): boolean {
  return host === "localhost" || ipInRanges(host, LOOPBACK_RANGES);
}

function bare(host: string): string {
  return host.toLowerCase().replace(/^\[(.*)\]$/, "$1");
}
