/**
 * Which requests are traced. A traced request costs a third of the gateway's throughput, so at a low
 * rate all are, and at a high one so many that their cost is not seen. It is decided before the
 * runtime is asked, whose own sampler takes 3 us to say no.
 *
 * @module
 */

import type { RemoteContext } from "./passed_on.ts";

/** Traces that the service begins of itself, a second. */
export const NEW_TRACES_PER_SECOND = 10;
/** Traces of callers that are followed, a second: a caller says so in a header, which is free. */
export const FOLLOWED_TRACES_PER_SECOND = 50;
/** The flag of a `traceparent` that says that its trace is recorded. */
const SAMPLED = 1;

/** How requests are chosen. */
export interface Sampling {
  /**
   * Share that is traced, 0 to 1, of the requests whose callers say nothing and of those that are
   * beyond the bound of callers. @default {so many a second}
   */
  readonly ratio: number | undefined;
  /** From 0 on, below 1. */
  readonly random: () => number;
  /** Milliseconds from any start; never goes back. */
  readonly monotonicMs: () => number;
}

/** Chooses. */
export class Sampler {
  readonly #sampling: Sampling;
  readonly #begun: Allowance;
  readonly #followed: Allowance;

  constructor(sampling: Sampling) {
    this.#sampling = sampling;
    this.#begun = new Allowance(NEW_TRACES_PER_SECOND, sampling.monotonicMs);
    this.#followed = new Allowance(FOLLOWED_TRACES_PER_SECOND, sampling.monotonicMs);
  }

  /** Whether a request is traced; `remote`: what its caller said. */
  takes(remote: RemoteContext | undefined): boolean {
    const { ratio, random } = this.#sampling;
    if (remote !== undefined) {
      if ((remote.flags & SAMPLED) === 0) return false;
      return this.#followed.take() || (ratio !== undefined && random() < ratio);
    }
    return ratio === undefined ? this.#begun.take() : random() < ratio;
  }
}

/** What one trace takes of what is left: in thousandths, so that whole milliseconds add up exactly. */
const ONE = 1_000;

/** So many a second, and as many at once. */
class Allowance {
  readonly #perSecond: number;
  readonly #monotonicMs: () => number;
  #left: number;
  #atMs: number;

  constructor(perSecond: number, monotonicMs: () => number) {
    this.#perSecond = perSecond;
    this.#monotonicMs = monotonicMs;
    this.#left = perSecond * ONE;
    this.#atMs = monotonicMs();
  }

  take(): boolean {
    const nowMs = this.#monotonicMs();
    const regained = (nowMs - this.#atMs) * this.#perSecond;
    this.#left = Math.min(this.#perSecond * ONE, this.#left + regained);
    this.#atMs = nowMs;
    if (this.#left < ONE) return false;
    this.#left -= ONE;
    return true;
  }
}
