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

/** Addresses whose minute is kept. Who has more addresses than that is not held back by any limit. */
const ADDRESSES_MAX = 20_000;
/** Keys that are remembered as good. */
const GOOD_MAX = 10_000;
/** Shortest time between two lines for the operator, in milliseconds. */
const QUIET_MS = 1_000;

/** A secret as it was presented. */
export interface PresentedSecret {
  readonly secret: string;
  readonly remoteAddress: string | undefined;
}

/** Looks a secret up: nothing where it is wrong. */
export type LookUp<T> = () => T | undefined | Promise<T | undefined>;

const NO_LOOK_UP = () => undefined;

interface Judgement<T> {
  readonly found: T | undefined;
  readonly retryAfterMs: number;
}

/** What a watch over bad keys needs. */
export interface BadKeysOptions {
  /** Of which class the secrets are. */
  readonly keyClass: KeyClass;
  /** Wrong ones that an address may present in a minute; 0: any number. */
  readonly limit: () => number;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Slows down who guesses keys or tokens, address by address; an IPv6 network of 64 bits is one.
 *
 * An address that is over its budget may share it with good users. So a secret that was good before is
 * looked up in any case, and so is one of the form that is generated here, whose 190 bits nobody
 * guesses. What somebody made up, and somebody else could guess, is not looked up any more. Wrong ones
 * are all answered alike.
 */
export class BadKeys {
  readonly #options: BadKeysOptions;
  readonly #minutes = new BoundedMap<string, MinuteWindow>(ADDRESSES_MAX);
  /** Secrets that were good when they were looked up last. */
  readonly #good = new BoundedMap<string, boolean>(GOOD_MAX);
  /** Look-ups under way of what could be guessed, the last of each address. */
  readonly #lookUps = new Map<string, Promise<unknown>>();
  #quietUntilMs = -Infinity;

  constructor(options: BadKeysOptions) {
    this.#options = options;
  }

  /**
   * Looks a secret up; `undefined` where it is wrong. Throws the fault `rate_limit_exceeded` where its
   * address has presented too many wrong ones.
   */
  async find<T>(presented: PresentedSecret, lookUp: LookUp<T>): Promise<T | undefined> {
    const { secret, remoteAddress } = presented;
    const limit = this.#options.limit();
    if (limit === 0) return await lookUp();
    const wasGood = this.#good.get(secret) === true;
    const isGuessable = !wasGood && parseKey(secret, this.#options.keyClass) === undefined;
    const block = wasGood ? "" : addressBlock(remoteAddress);
    const judge = (look: LookUp<T>) => this.#judge(look, { remoteAddress, limit });
    // One at a time, so that of many at once none is looked up before those ahead of it are counted.
    const { found, retryAfterMs } = isGuessable
      ? await this.#inTurn(block, () => judge(this.#isOver(block, limit) ? NO_LOOK_UP : lookUp))
      : await judge(lookUp);
    if (wasGood !== (found !== undefined)) this.#good.set(secret, !wasGood);
    if (retryAfterMs === 0) return found;
    this.#tell(remoteAddress, limit);
    throw new ServiceFault("rate_limit_exceeded", {
      message:
        "Too many wrong keys came from this address; send the right one, or wait as long as " +
        "Retry-After says",
      retryAfterMs,
      // The same key will be as wrong then.
      headers: { "x-should-retry": "false" },
    });
  }

  /** Looks up, and counts what is wrong: how long its address is to wait where it is one too many. */
  async #judge<T>(
    lookUp: LookUp<T>,
    { remoteAddress, limit }: { remoteAddress: string | undefined; limit: number },
  ): Promise<Judgement<T>> {
    const found = await lookUp();
    if (found !== undefined) return { found, retryAfterMs: 0 };
    const block = addressBlock(remoteAddress);
    const nowMs = this.#options.clock.monotonicMs();
    const minute = this.#minutes.get(block) ?? EMPTY_WINDOW;
    const { state, verdict } = takeFromMinute(minute, { amount: 1, limit, nowMs });
    this.#minutes.set(block, state);
    return { found, retryAfterMs: verdict.retryAfterMs };
  }

  #isOver(block: string, limit: number): boolean {
    const nowMs = this.#options.clock.monotonicMs();
    const minute = this.#minutes.get(block);
    return minute !== undefined && minuteNow(minute, { limit, nowMs }).remaining === 0;
  }

  async #inTurn<T>(block: string, judge: () => Promise<T>): Promise<T> {
    const mine = this.#lookUps.get(block)?.then(judge, judge) ?? judge();
    this.#lookUps.set(block, mine);
    try {
      return await mine;
    } finally {
      if (this.#lookUps.get(block) === mine) this.#lookUps.delete(block);
    }
  }

  #tell(remoteAddress: string | undefined, limit: number): void {
    const { clock, keyClass, logger } = this.#options;
    const nowMs = clock.monotonicMs();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + QUIET_MS;
    logger.warn("too_many_bad_keys", { keyClass, remoteAddress, limit });
  }
}
