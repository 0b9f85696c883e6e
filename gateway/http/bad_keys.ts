import { ServiceFault } from "../domain/fault.ts";
import { addressBlock } from "../domain/policy/ip_range.ts";
import { type KeyClass, parseKey } from "../domain/policy/key_format.ts";
import {
  EMPTY_WINDOW,
  minuteNow,
  type MinuteWindow,
  takeFromMinute,
} from "../domain/limits/rate_limits.ts";
import { BoundedMap } from "../system/bounded_map.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";

/**
 * Maximum number of addresses with a count of their minute. No limit stops a client that has more
 * addresses.
 */
const ADDRESSES_MAX = 20_000;
/** Maximum number of keys that are remembered as valid. */
const GOOD_MAX = 10_000;
/** Minimum time between two log lines, in milliseconds. */
const QUIET_MS = 1_000;

/** A secret as the client presented it. */
export interface PresentedSecret {
  readonly secret: string;
  readonly remoteAddress: string | undefined;
}

/** A look-up of a secret; returns nothing for a wrong one, and a promise where it must wait. */
export type LookUp<T> = (secret: string) => T | undefined | Promise<T | undefined>;

const NO_LOOK_UP = () => undefined;

interface Judgement<T> {
  readonly record: T | undefined;
  readonly retryAfterMs: number;
}

/** Options of {@linkcode BadKeys}. */
export interface BadKeysOptions {
  /** Class of the secrets. */
  readonly keyClass: KeyClass;
  /** Wrong secrets that an address may present in a minute; 0 is no limit. */
  readonly limit: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Slows down guessing of keys and tokens, address by address; an IPv6 network of 64 bits counts as
 * one address.
 *
 * An address over its limit may be shared with valid users. So a secret that was valid before is
 * still looked up, and so is one of the generated form, whose 190 bits cannot be guessed. Other
 * secrets, which could be guessed, are then refused without a look-up. All wrong secrets get the
 * same answer.
 */
export class BadKeys {
  readonly #options: BadKeysOptions;
  readonly #minutes = new BoundedMap<string, MinuteWindow>(ADDRESSES_MAX);
  /** Secrets that were valid at their last look-up. */
  readonly #good = new BoundedMap<string, boolean>(GOOD_MAX);
  /** The last pending look-up of a guessable secret, by address. */
  readonly #lookUps = new Map<string, Promise<unknown>>();
  #quietUntilMs = -Infinity;

  constructor(options: BadKeysOptions) {
    this.#options = options;
  }

  /**
   * Looks a secret up; returns `undefined` for a wrong one, and a promise unless the secret was valid
   * before and its look-up is immediate. Rejects with the fault `rate_limit_exceeded` where its
   * address has presented too many wrong ones.
   */
  find<T>(presented: PresentedSecret, lookUp: LookUp<T>): T | undefined | Promise<T | undefined> {
    const { secret } = presented;
    const limit = this.#options.limit();
    if (limit === 0) return lookUp(secret);
    if (this.#good.get(secret) !== true) return this.#find(presented, limit, lookUp);
    const record = lookUp(secret);
    if (record !== undefined && !(record instanceof Promise)) return record;
    return this.#find(presented, limit, () => record);
  }

  async #find<T>(
    { secret, remoteAddress }: PresentedSecret,
    limit: number,
    lookUp: LookUp<T>,
  ): Promise<T | undefined> {
    const wasGood = this.#good.get(secret) === true;
    const isGuessable = !wasGood && parseKey(secret, this.#options.keyClass) === undefined;
    const block = wasGood ? "" : addressBlock(remoteAddress);
    const judge = (look: LookUp<T>) => this.#judge(look, { secret, remoteAddress, limit });
    // In sequence, so that each look-up of a burst sees the counts of the earlier ones.
    const { record, retryAfterMs } = isGuessable
      ? await this.#inSequence(block, () => judge(this.#isOver(block, limit) ? NO_LOOK_UP : lookUp))
      : await judge(lookUp);
    if (wasGood !== (record !== undefined)) this.#good.set(secret, !wasGood);
    if (retryAfterMs === 0) return record;
    this.#warn(remoteAddress, limit);
    throw new ServiceFault("rate_limit_exceeded", {
      message:
        "Too many wrong keys came from this address; send the right one, or wait as long as " +
        "Retry-After says",
      retryAfterMs,
      // A repeated request would have the same wrong key.
      headers: { "x-should-retry": "false" },
    });
  }

  /**
   * Looks a secret up and counts a wrong one; returns how long an address over its limit has to
   * wait.
   */
  async #judge<T>(
    lookUp: LookUp<T>,
    { secret, remoteAddress, limit }: PresentedSecret & { readonly limit: number },
  ): Promise<Judgement<T>> {
    const record = await lookUp(secret);
    if (record !== undefined) return { record, retryAfterMs: 0 };
    const block = addressBlock(remoteAddress);
    const nowMs = this.#options.clock.monotonicMs();
    const minute = this.#minutes.get(block) ?? EMPTY_WINDOW;
    const { state, verdict } = takeFromMinute(minute, { amount: 1, limit, nowMs });
    this.#minutes.set(block, state);
    return { record, retryAfterMs: verdict.retryAfterMs };
  }

  #isOver(block: string, limit: number): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const minute = this.#minutes.get(block);
    return minute !== undefined && minuteNow(minute, { limit, nowMs }).remaining === 0;
  }

  async #inSequence<T>(block: string, judge: () => Promise<T>): Promise<T> {
    const mine = this.#lookUps.get(block)?.then(judge, judge) ?? judge();
    this.#lookUps.set(block, mine);
    try {
      return await mine;
    } finally {
      if (this.#lookUps.get(block) === mine) this.#lookUps.delete(block);
    }
  }

  #warn(remoteAddress: string | undefined, limit: number): void {
    const { clock, keyClass, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + QUIET_MS;
    logger.warn("too_many_bad_keys", { keyClass, remoteAddress, limit });
  }
}
