import { ServiceFault } from "../../domain/fault.ts";
import {
  EMPTY_WINDOW,
  type MinuteWindow,
  takeFromMinute,
} from "../../domain/limits/rate_limits.ts";
import type { KeyRecord } from "../../domain/policy/key.ts";
import type { Clock } from "../../ports/clock.ts";
import { BoundedMap } from "../../system/bounded_map.ts";

/** Maximum number of keys that are counted. */
const KEYS_MAX = 20_000;

/** Settings of a {@linkcode MinuteQuota}. */
export interface MinuteQuotaOptions {
  readonly clock: Pick<Clock, "nowMs">;
  /** Maximum number in a minute. */
  readonly limit: number;
  /** Names the limit; the advice to wait is added. */
  readonly message: string;
}

/** A fixed limit a minute for each key, beside the limits of its policy. This process counts alone. */
export class MinuteQuota {
  readonly #options: MinuteQuotaOptions;
  readonly #minutes = new BoundedMap<string, MinuteWindow>(KEYS_MAX);

  constructor(options: MinuteQuotaOptions) {
    this.#options = options;
  }

  /** Counts some. Throws a {@linkcode ServiceFault}, and counts none, if there are too many. */
  take({ id }: Pick<KeyRecord, "id">, amount = 1): void {
    const { clock, limit, message } = this.#options;
    const { state, verdict } = takeFromMinute(this.#minutes.get(id) ?? EMPTY_WINDOW, {
      ...{ amount, limit, nowMs: clock.nowMs() },
    });
    this.#minutes.set(id, state);
    if (verdict.allowed) return;
    throw new ServiceFault("rate_limit_exceeded", {
      message: `${message}; wait as long as Retry-After says`,
      retryAfterMs: verdict.retryAfterMs,
    });
  }
}
