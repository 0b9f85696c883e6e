/**
 * Limits of the service as a whole: concurrency, queues and memory.
 *
 * @module
 */

/** Limits that apply to all callers together. */
export interface ServiceLimits {
  /** Maximum number of calls in flight at all upstreams together. */
  readonly maxInFlight: number;
  /** Longest wait of a request for a lease, in milliseconds. 0: no request waits. */
  readonly queueMs: number;
  /** Maximum number of requests that wait for a lease. 0: no request waits. */
  readonly queueLength: number;
  /** Invalid keys or tokens that one address may present per minute. 0: unlimited. */
  readonly badKeysPerMinute: number;
  /**
   * Maximum megabytes of request bodies held at once; they take about three times as much memory.
   */
  readonly bodyMegabytes: number;
  /** Maximum megabytes of request bodies of one key. */
  readonly bodyMegabytesPerKey: number;
}

/** Limits of a configuration that sets none. */
export const DEFAULT_LIMITS: ServiceLimits = {
  maxInFlight: 1_000,
  queueMs: 2_000,
  queueLength: 1_000,
  badKeysPerMinute: 30,
  bodyMegabytes: 128,
  bodyMegabytesPerKey: 64,
};

/**
 * Returns the limits in force under a catalog, with defaults for those that an older version lacks.
 */
export function limitsInForce(
  { limits }: { readonly limits?: Partial<ServiceLimits> | undefined },
): ServiceLimits {
  return limits === undefined ? DEFAULT_LIMITS : { ...DEFAULT_LIMITS, ...limits };
}
