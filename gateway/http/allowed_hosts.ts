/**
 * Which names a listener answers to. A page that a browser loads from anywhere may give its own name
 * the address of this machine (DNS rebinding): the name is then all that tells its requests apart.
 *
 * @module
 */

import { ipInRanges } from "../domain/policy/ip_range.ts";

/** The listeners of a service. */
export type ListenerName = "public" | "admin" | "metrics";

/** What decides the names of a listener. */
export interface HostSettings {
  readonly listener: ListenerName;
  /** Address or name that it is bound to. */
  readonly host: string;
  /** URLs under which the listener is known. */
  readonly urls?: readonly string[];
}

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "::1"];
const LOOPBACK_RANGES = ["127.0.0.0/8", "::1/128"];

const HOST = /^(?:([A-Za-z0-9._-]{1,253})|\[([0-9A-Fa-f:.]{2,45})\])(?::\d{1,5})?$/;

/**
 * Names and addresses that may stand in `Host`, in lower case and without ports or brackets. A public
 * listener that others can reach takes any, since only they know what they call it; that of metrics
 * takes any, since its page tells of no person and no secret.
 */
export function allowedHosts(settings: HostSettings): readonly string[] | "any" {
  const { listener, urls = [] } = settings;
  const host = bare(settings.host);
  if (listener === "metrics" || (listener === "public" && !isLoopback(host))) return "any";
  const known = urls.map((url) => bare(new URL(url).hostname));
  return [...new Set([...LOOPBACK_HOSTS, host, ...known])];
}

/** The name or address in a `Host` header; `undefined` where it is neither. */
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
