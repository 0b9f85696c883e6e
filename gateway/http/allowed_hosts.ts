/**
 * Which names a listener answers to. A page that a browser loads from anywhere may give its own name
 * the address of this machine (DNS rebinding): the name is then all that tells its requests apart.
 *
 * @module
 */

import { ipInRanges } from "../domain/ip_range.ts";

/** What decides the names of a listener. */
export interface HostSettings {
  readonly listener: "public" | "admin";
  /** Address or name that it is bound to. */
  readonly host: string;
  /** URL under which the service is known. */
  readonly publicUrl?: string | undefined;
}

const LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "::1"];
const LOOPBACK_RANGES = ["127.0.0.0/8", "::1/128"];

const HOST = /^(?:([A-Za-z0-9._-]{1,253})|\[([0-9A-Fa-f:.]{2,45})\])(?::\d{1,5})?$/;

/**
 * Names and addresses that may stand in `Host`, in lower case and without ports or brackets. A public
 * listener that others can reach takes any, since only they know what they call it.
 */
export function allowedHosts(settings: HostSettings): readonly string[] | "any" {
  const { listener, publicUrl } = settings;
  const host = bare(settings.host);
  if (listener === "public" && !isLoopback(host)) return "any";
  const known = publicUrl === undefined ? [] : [bare(new URL(publicUrl).hostname)];
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
