/**
 * Public addresses: all that are not reserved by IANA's special-purpose registries or used by a
 * cloud internally.
 *
 * @module
 */

import { type IpRange, parseIpRange } from "../domain/policy/ip_range.ts";

const SPECIAL_V4 = [
  "0.0.0.0/8", // this network
  "10.0.0.0/8", // private
  "100.64.0.0/10", // carrier-grade NAT; Alibaba's metadata
  "127.0.0.0/8", // loopback
  "168.63.129.16/32", // Azure's host, though its address is public
  "169.254.0.0/16", // link-local; metadata of most clouds
  "172.16.0.0/12", // private
  "192.0.0.0/24", // protocol assignments; Oracle's metadata
  "192.0.2.0/24", // documentation
  "192.31.196.0/24", // AS112
  "192.52.193.0/24", // AMT
  "192.88.99.0/24", // 6to4 relays
  "192.168.0.0/16", // private
  "192.175.48.0/24", // AS112
  "198.18.0.0/15", // benchmarks
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, broadcast
];

/**
 * The range that is routed today; loopback, private, link-local, multicast and NAT64 are outside of
 * it.
 */
const GLOBAL_V6 = "2000::/3";
const SPECIAL_V6 = [
  "2001::/23", // protocol assignments, with Teredo: an IPv4 address may be inside
  "2001:db8::/32", // documentation
  "2002::/16", // 6to4: an IPv4 address is inside
  "2620:4f:8000::/48", // AS112
  "3fff::/20", // documentation
];

function rangeOf(text: string): IpRange {
  const range = parseIpRange(text);
  if (range === undefined) throw new TypeError(`Cannot read the range "${text}"`);
  return range;
}

const SPECIAL = [...SPECIAL_V4, ...SPECIAL_V6].map(rangeOf);
const GLOBAL = rangeOf(GLOBAL_V6);

// Interface ids of ISATAP tunnels: the last 32 bits are an IPv4 address.
const ISATAP_IDS = [0x0000_5efen, 0x0200_5efen];

/** True for a public address in the form of a resolver or a URL. False for any other text. */
export function isPublicAddress(address: string): boolean {
  if (address.includes("/")) return false;
  const ip = parseIpRange(address);
  if (ip === undefined) return false;
  if (ip.family === 6) {
    if (ip.first < GLOBAL.first || ip.last > GLOBAL.last) return false;
    if (ISATAP_IDS.includes(ip.first >> 32n & 0xffff_ffffn)) return false;
  }
  return !SPECIAL.some(({ family, first, last }) =>
    family === ip.family && first <= ip.first && ip.last <= last
  );
}
