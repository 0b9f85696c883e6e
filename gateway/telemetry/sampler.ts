/**
 * The selection of requests that are traced. A traced request costs a third of the gateway's
 * throughput, so all are traced at a low rate, and at a high rate only so many that their cost is
 * negligible. The decision is made before the runtime is called, whose own sampler takes 3 us to
 * decline.
 *
 * @module
 */

import type { RemoteContext } from "./passed_on.ts";

/** Maximum traces per second that the service begins itself. */
export const NEW_TRACES_PER_SECOND = 10;
/** Maximum traces per second that callers request: a header is free for them. */
export const FOLLOWED_TRACES_PER_SECOND = 50;
/** The flag of a `traceparent` that marks a recorded trace. */
const SAMPLED = 1;

/** Parameters of the selection. */
export interface Sampling {
  /**
   * Share of requests that are traced, 0 to 1, if their callers send no context or exceed the
   * maximum of callers. @default {a number per second}
   */
  readonly ratio: number | undefined;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Milliseconds from an arbitrary start; never goes back. */
  readonly monotonicMs: () => number;
}

/** Selects the requests that are traced. */
export class Sampler {
  readonly #sampling: Sampling;
  readonly #ownTraces: Allowance;
  readonly #followed: Allowance;

  constructor(sampling: Sampling) {
    this.#sampling = sampling;
    this.#ownTraces = new Allowance(NEW_TRACES_PER_SECOND, sampling.monotonicMs);
    this.#followed = new Allowance(FOLLOWED_TRACES_PER_SECOND, sampling.monotonicMs);
  }

  /** True when a request is traced; `remote`: the context that its caller sent. */
  takes(remote: RemoteContext | undefined): boolean {
    const { ratio, random } = this.#sampling;
    if (remote !== undefined) {
      if ((remote.flags & SAMPLED) === 0) return false;
      return this.#followed.take() || (ratio !== undefined && random() < ratio);
    }
    return ratio === undefined ? this.#ownTraces.take() : random() < ratio;
  }
}

/** Cost of one trace in thousandths, so that whole milliseconds add up exactly. */
const ONE = 1_000;

/** A bucket of tokens: a rate per second, and as many at once. */
class Allowance {
  readonly #perSecond: number;
  readonly #monotonicMs: () => number;
  #tokens: number;
  #atMs: number;

  constructor(perSecond: number, monotonicMs: () => number) {
    this.#perSecond = perSecond;
    this.#monotonicMs = monotonicMs;
    this.#tokens = perSecond * ONE;
    this.#atMs = monotonicMs();
  }

  take(): boolean {
    const nowMs = this.#monotonicMs();
    const regained = (nowMs - this.#atMs) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond * ONE, this.#tokens + regained);
    this.#atMs = nowMs;
    if (this.#tokens < ONE) return false;
    this.#tokens -= ONE;
    return true;
  }
}
