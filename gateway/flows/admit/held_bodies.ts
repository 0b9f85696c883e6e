/**
 * Bounds the bytes of request bodies that are held in memory at once.
 *
 * A body takes about three times its bytes while it is parsed, waits for a place and is sent on. So its
 * bytes are counted before they are buffered, and until the request has ended.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { ServiceLimits } from "../../domain/limits/service_limits.ts";
import { afterMs } from "../../system/deadlines.ts";
import { FairQueue } from "../../system/fair_queue.ts";
import { CallerDisconnected } from "../call/caller_disconnected.ts";

/** Bytes that one request holds. */
export interface BodyHold {
  /**
   * Counts so many bytes more. A promise where room must be waited for; throws or rejects with a
   * {@linkcode ServiceFault} where there is none.
   */
  take(bytes: number): Promise<void> | undefined;
  /** Counts so many bytes more, where there is room for them now; else it changes nothing. */
  tryTake(bytes: number): boolean;
  /** Gives all of them back. Does nothing when called again. */
  release(): void;
}

/** The limits that apply. */
export type BodyLimits = Pick<
  ServiceLimits,
  "bodyMegabytes" | "bodyMegabytesPerKey" | "queueMs" | "queueLength"
>;

const MEGABYTE = 1024 * 1024;
/** A request with no more bytes than this is short. */
export const SHORT_BYTES = 64 * 1024;
/** Share of the total that is left to short requests, so that long ones never shut them out. */
const SHORT_SHARE = 1 / 8;

interface Waiting {
  readonly hold: Held;
  readonly bytes: number;
  admit(): void;
  refuse(): void;
}

interface Held {
  readonly keyId: string;
  bytes: number;
  released: boolean;
}

/** The bytes of all bodies that are held, by key. */
export class HeldBodies {
  readonly #limits: () => BodyLimits;
  readonly #byKey = new Map<string, number>();
  readonly #line = new FairQueue<Waiting>();
  #bytes = 0;

  /** `limits` is asked each time: they change with the catalog. */
  constructor(limits: () => BodyLimits) {
    this.#limits = limits;
  }

  /** Bytes that are held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The hold of one request, empty. The signal ends its wait. */
  hold(keyId: string, signal?: AbortSignal): BodyHold {
    const held: Held = { keyId, bytes: 0, released: false };
    return {
      take: (bytes) => this.#take(held, bytes, signal),
      tryTake: (bytes) => {
        const isFree = this.#fits(held, bytes);
        if (isFree) this.#add(held, bytes);
        return isFree;
      },
      release: () => {
        if (held.released) return;
        held.released = true;
        this.#add(held, -held.bytes);
        this.#serve();
      },
    };
  }

  #take(held: Held, bytes: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    const { share } = this.#shares();
    if (held.bytes + bytes > share) {
      throw new ServiceFault("body_too_large", {
        message: `The request takes more than the ${
          share / MEGABYTE
        } MB that a key may have at once`,
      });
    }
    const isShort = held.bytes + bytes <= SHORT_BYTES;
    if ((isShort || this.#line.size === 0) && this.#fits(held, bytes)) {
      this.#add(held, bytes);
      return undefined;
    }
    return this.#wait(held, bytes, signal);
  }

  #wait(held: Held, bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const { queueMs, queueLength } = this.#limits();
    const { keyId } = held;
    return new Promise((resolve, reject) => {
      const end = () => {
        callOff();
        signal?.removeEventListener("abort", leave);
      };
      const giveUp = () => {
        if (this.#line.delete(keyId, waiting)) waiting.refuse();
      };
      const leave = () => {
        if (!this.#line.delete(keyId, waiting)) return;
        end();
        reject(new CallerDisconnected("The caller left before there was room for the body"));
      };
      const waiting: Waiting = {
        ...{ hold: held, bytes },
        admit: () => {
          end();
          this.#add(held, bytes);
          resolve();
        },
        refuse: () => {
          end();
          reject(this.#refusal(held, bytes));
        },
      };
      const callOff = afterMs(queueMs, giveUp);
      signal?.addEventListener("abort", leave);
      if (this.#line.size >= queueLength) {
        const newest = this.#line.makeRoom(keyId);
        if (newest === undefined) return waiting.refuse();
        newest.refuse();
      }
      this.#line.add(keyId, waiting);
      // Another key's wait may be for its own share alone.
      this.#serve();
      if (queueMs === 0) giveUp();
    });
  }

  #serve(): void {
    for (;;) {
      const next = this.#line.take(({ hold, bytes }) => this.#fits(hold, bytes));
      if (next === undefined) return;
      next.admit();
    }
  }

  #fits(held: Held, bytes: number): boolean {
    const { share, total } = this.#shares();
    const isShort = held.bytes + bytes <= SHORT_BYTES;
    const room = isShort ? total : total * (1 - SHORT_SHARE);
    return this.#bytes + bytes <= room && (this.#byKey.get(held.keyId) ?? 0) + bytes <= share;
  }

  #shares(): { readonly share: number; readonly total: number } {
    const { bodyMegabytes, bodyMegabytesPerKey } = this.#limits();
    const total = bodyMegabytes * MEGABYTE;
    return { total, share: Math.min(bodyMegabytesPerKey * MEGABYTE, total * (1 - SHORT_SHARE)) };
  }

  #add(held: Held, bytes: number): void {
    held.bytes += bytes;
    this.#bytes += bytes;
    const ofKey = (this.#byKey.get(held.keyId) ?? 0) + bytes;
    if (ofKey > 0) this.#byKey.set(held.keyId, ofKey);
    else this.#byKey.delete(held.keyId);
  }

  #refusal({ keyId }: Held, bytes: number): ServiceFault {
    const { share } = this.#shares();
    if ((this.#byKey.get(keyId) ?? 0) + bytes > share) {
      return new ServiceFault("rate_limit_exceeded", {
        message:
          `The key's requests under way take ${share / MEGABYTE} MB together, all that one ` +
          "key may; wait until some of them have ended",
      });
    }
    return new ServiceFault("no_model_available", {
      message: "The service holds as many bytes of requests as it may; try again in a moment",
    });
  }
}
