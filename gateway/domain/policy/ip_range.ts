/**
 * IP addresses and CIDR ranges. An IPv4 address mapped into IPv6 (`::ffff:10.0.0.1`) is that IPv4
 * address, so `::/0` is every IPv6 address and no IPv4 one.
 *
 * @module
 */

/** A range of addresses of one family. */
export interface IpRange {
  readonly family: 4 | 6;
  /** First address. */
  readonly first: bigint;
  /** Last address. */
  readonly last: bigint;
}

const MAPPED_PREFIX = 0xffff_0000_0000n;
/** First 96 bits: IPv4-compatible, SIIT (RFC 2765), NAT64 (RFC 6052). */
const IPV4_PREFIXES = [0n, 0xffff_0000n, 0x0064_ff9b_0000_0000_0000_0000n];
/** First 48 bits of NAT64 for one network (RFC 8215). */
const NAT64_LOCAL = 0x0064_ff9b_0001n;
const OCTET = /^(?:0|[1-9]\d{0,2})$/;
const GROUP = /^[0-9a-f]{1,4}$/i;

/** Parses an address (a range of one) or a range (`10.0.0.0/8`, `2001:db8::/32`). */
export function parseIpRange(text: string): IpRange | undefined {
  const slash = text.indexOf("/");
  const address = slash < 0 ? text : text.slice(0, slash);
  const v4 = parseIpv4(address);
  const value = v4 ?? parseIpv6(address);
  if (value === undefined) return undefined;
  const width = v4 === undefined ? 128 : 32;
  const prefix = slash < 0 ? width : parsePrefix(text.slice(slash + 1), width);
  if (prefix === undefined) return undefined;

  const hostBits = BigInt(width - prefix);
  const first = (value >> hostBits) << hostBits;
  const last = first | ((1n << hostBits) - 1n);
  const mapped = width === 128 && prefix >= 96 && first >> 32n === MAPPED_PREFIX >> 32n;
  if (mapped) return { family: 4, first: first - MAPPED_PREFIX, last: last - MAPPED_PREFIX };
  return { family: width === 32 ? 4 : 6, first, last };
}

/** True when an address lies in one of the ranges; false when it or a range is malformed. */
export function ipInRanges(address: string, ranges: readonly string[]): boolean {
  const zone = address.indexOf("%");
  const inner = zone < 0 ? address : address.slice(0, zone);
  return !inner.includes("/") && rangeWithin(inner, ranges);
}

/**
 * Returns the IPv4 address inside an IPv6 one that translators (NAT64, SIIT) and tunnels (6to4,
 * IPv4-compatible) would use, in the form `a.b.c.d`; `undefined` without one.
 */
export function embeddedIpv4(address: string): string | undefined {
  const ip = parseIpRange(address.replace(/%.*$/, ""));
  if (ip?.family !== 6 || ip.first !== ip.last) return undefined;
  const value = ip.first;
  const v4 = value >> 112n === 0x2002n
    ? value >> 80n & 0xffff_ffffn
    : IPV4_PREFIXES.includes(value >> 32n) || value >> 80n === NAT64_LOCAL
    ? value & 0xffff_ffffn
    : undefined;
  return v4 === undefined
    ? undefined
    : [24n, 16n, 8n, 0n].map((shift) => v4 >> shift & 0xffn).join(".");
}

/** True when a range lies completely in one of the others. */
export function rangeWithin(range: string, ranges: readonly string[]): boolean {
  const inner = parseIpRange(range);
  if (inner === undefined) return false;
  return ranges.some((text) => {
    const outer = parseIpRange(text);
    return outer !== undefined && outer.family === inner.family &&
      outer.first <= inner.first && inner.last <= outer.last;
  });
}

/**
 * Returns the unit in which addresses are counted: an IPv4 address, or an IPv6 network of 64 bits,
 * the smallest that a customer gets. All malformed addresses share one unit.
 */
export function addressBlock(address = ""): string {
  const range = parseIpRange(address.replace(/%.*$/, ""));
  if (range === undefined) return "";
  return range.family === 4 ? `${range.first}` : `${range.first >> 64n}/64`;
}

function parsePrefix(text: string, width: number): number | undefined {
  const prefix = /^(?:0|[1-9]\d{0,2})$/.test(text) ? Number(text) : width + 1;
  return prefix <= width ? prefix : undefined;
}

function parseIpv4(text: string): bigint | undefined {
  const octets = text.split(".");
  if (octets.length !== 4) return undefined;
  let value = 0n;
  for (const octet of octets) {
    if (!OCTET.test(octet) || Number(octet) > 255) return undefined;
    value = value << 8n | BigInt(octet);
  }
  return value;
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const head = parseGroups(halves[0] ?? "", { last: halves.length === 1 });
  const tail = parseGroups(halves[1] ?? "", { last: true });
  if (head === undefined || tail === undefined) return undefined;
  const missing = 8 - head.length - tail.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  let value = 0n;
  for (const group of head) value = value << 16n | group;
  value <<= BigInt(16 * missing);
  for (const group of tail) value = value << 16n | group;
  return value;
}

/** Parses groups of 16 bits; a dotted IPv4 address at the end counts as two. */
function parseGroups(text: string, options: { last: boolean }): bigint[] | undefined {
  if (text === "") return [];
  const parts = text.split(":");
  const groups: bigint[] = [];
  for (const [index, part] of parts.entries()) {
    const v4 = options.last && index === parts.length - 1 ? parseIpv4(part) : undefined;
    if (v4 !== undefined) groups.push(v4 >> 16n, v4 & 0xffffn);
    else if (GROUP.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
