/**
 * Addresses at which clouds serve a machine's own credentials to any local process. No upstream
 * runs there: the configuration refuses them, and the permissions in `deno.json` deny them to the
 * process.
 *
 * @module
 */

import { embeddedIpv4, ipInRanges } from "../policy/ip_range.ts";

/** Link-local networks and the metadata services of clouds. */
export const METADATA_RANGES: readonly string[] = [
  "169.254.0.0/16", // link-local: metadata of AWS, Azure, Google Cloud, Oracle and most others
  "100.100.100.200", // Alibaba Cloud
  "168.63.129.16", // Azure's host
  "192.0.0.192", // Oracle Cloud, before
  "fd00:ec2::254", // AWS
  "fd20:ce::254", // Google Cloud
  "fe80::/10", // link-local; `--deny-net` takes no range of IPv6, and no URL can name such an address
];

/** Host names of Google Cloud's metadata service; other clouds use addresses only. */
export const METADATA_NAMES: readonly string[] = ["metadata.google.internal", "metadata.goog"];

/**
 * True for a metadata host in the form that `URL` or a resolver shows it, also as an IPv4 address
 * inside an IPv6 one. Host names are not resolved.
 */
export function isMetadataHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
  if (METADATA_NAMES.includes(host) || ipInRanges(host, METADATA_RANGES)) return true;
  const inner = embeddedIpv4(host);
  return inner !== undefined && ipInRanges(inner, METADATA_RANGES);
}
