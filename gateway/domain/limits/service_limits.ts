/**
 * What the service as a whole takes on at once, and for how long it lets callers wait.
 *
 * @module
 */

/** Limits that are nobody's own. */
export interface ServiceLimits {
  /** Most calls under way at all upstreams together. */
  readonly maxInFlight: number;
  /** Longest wait of a request for a place at an upstream, in milliseconds. 0: none waits. */
  readonly queueMs: number;
  /** Most requests that wait for a place. 0: none waits. */
  readonly queueLength: number;
  /** Wrong keys or tokens that one address may present in a minute. 0: any number. */
  readonly badKeysPerMinute: number;
  /** Most megabytes of request bodies held at once; they take about three times as much memory. */
  readonly bodyMegabytes: number;
  /** Most of them for one key. */
  readonly bodyMegabytesPerKey: number;
}

/** What applies where the configuration names no limits. */
export const DEFAULT_LIMITS: ServiceLimits = {
  maxInFlight: 1_000,
  queueMs: 2_000,
  queueLength: 1_000,
  badKeysPerMinute: 30,
  bodyMegabytes: 128,
  bodyMegabytesPerKey: 64,
};

/** The limits in force under a catalog. One of an older version may lack some. */
export function limitsInForce(
  { limits }: { readonly limits?: Partial<ServiceLimits> | undefined },
): ServiceLimits {
  return limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits };
}
