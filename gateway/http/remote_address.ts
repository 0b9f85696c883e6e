import { ipInRanges } from "../domain/policy/ip_range.ts";

/**
 * Returns the address that a request comes from: the peer's, or, where the peer is a trusted proxy,
 * the last one of `X-Forwarded-For` that is not a trusted proxy. Any client can write the entries
 * before it.
 */
export function remoteAddress(
  peer: string,
  headers: Headers,
  trustedProxies: readonly string[],
): string {
  if (trustedProxies.length === 0 || !ipInRanges(peer, trustedProxies)) return peer;
  const claimed = (headers.get("x-forwarded-for") ?? "").split(",").map(withoutPort);
  return claimed.findLast((address) => address !== "" && !ipInRanges(address, trustedProxies)) ??
    peer;
}

/** Removes the port that some proxies add: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function withoutPort(claimed: string): string {
  const text = claimed.trim();
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)?.[1];
  return bracketed ?? text.replace(/^(\d+(?:\.\d+){3}):\d+$/, "$1");
}
