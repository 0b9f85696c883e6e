/**
 * Bounds the bytes of request bodies that are in memory at once.
 *
 * A body takes about three times its bytes while it is parsed, waits for capacity and is sent. So
 * its bytes are counted before they are buffered, and until the request has ended.
 *
 * @module
 */

import { ServiceFault } from "../../domain/fault.ts";
import type { ServiceLimits } from "../../domain/limits/service_limits.ts";
import type { BodyHold } from "../../ports/body_hold.ts";
import { afterMs } from "../../system/deadlines.ts";
import { FairQueue } from "../../system/fair_queue.ts";
import { CallerDisconnected } from "../request/caller_disconnected.ts";

/** The limits that apply. */
export type BodyLimits = Pick<
  ServiceLimits,
  "bodyMegabytes" | "bodyMegabytesPerKey" | "queueMs" | "queueLength"
>;

const MEGABYTE = 1024 * 1024;
/** Maximum size of a short request, in bytes. */
export const SHORT_BYTES = 64 * 1024;
/**
 * Share of the total that is reserved for short requests, so that long ones never shut them out.
 */
const SHORT_SHARE = 1 / 8;

interface Waiting {
  readonly hold: Held;
  readonly bytes: number;
  admit(): void;
  refuse(): void;
}

/** The operations of all holds on the bodies that they are part of. */
interface HoldOperations {
  take(held: Held, bytes: number): Promise<void> | undefined;
  tryTake(held: Held, bytes: number): boolean;
  release(held: Held): void;
}

/** The bytes of one request. */
class Held implements BodyHold {
  readonly keyId: string;
  /** Ends a wait. */
  readonly signal: AbortSignal | undefined;
  bytes = 0;
  released = false;
  readonly #all: HoldOperations;

  constructor(keyId: string, signal: AbortSignal | undefined, all: HoldOperations) {
    this.keyId = keyId;
    this.signal = signal;
    this.#all = all;
  }

  take(bytes: number): Promise<void> | undefined {
    return this.#all.take(this, bytes);
  }

  tryTake(bytes: number): boolean {
    return this.#all.tryTake(this, bytes);
  }

  release(): void {
    this.#all.release(this);
  }
}

/** The bytes of all held bodies, by key. */
export class HeldBodies {
  readonly #limits: () => BodyLimits;
  readonly #byKey = new Map<string, number>();
  readonly #queue = new FairQueue<Waiting>();
  readonly #operations: HoldOperations = {
    take: (held, bytes) => this.#take(held, bytes, held.signal),
    tryTake: (held, bytes) => {
      const isFree = this.#fits(held, bytes);
      if (isFree) this.#add(held, bytes);
      return isFree;
    },
    release: (held) => {
      if (held.released) return;
      held.released = true;
      this.#add(held, -held.bytes);
      this.#serve();
    },
  };
  #bytes = 0;

  /** `limits` is called for each check, because the limits change with the catalog. */
  constructor(limits: () => BodyLimits) {
    this.#limits = limits;
  }

  /** Bytes held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Returns an empty hold for one request. The signal ends its wait. */
  hold(keyId: string, signal?: AbortSignal): BodyHold {
    return new Held(keyId, signal, this.#operations);
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
    if ((isShort || this.#queue.size === 0) && this.#fits(held, bytes)) {
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
        if (this.#queue.delete(keyId, waiting)) waiting.refuse();
      };
      const leave = () => {
        if (!this.#queue.delete(keyId, waiting)) return;
        end();
        reject(
          new CallerDisconnected("The caller disconnected before there was memory for the body"),
        );
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
      if (this.#queue.size >= queueLength) {
        const newest = this.#queue.makeRoom(keyId);
        if (newest === undefined) return waiting.refuse();
        newest.refuse();
      }
      this.#queue.add(keyId, waiting);
      // A waiting request of another key may fit already: it may wait only for the share of its
      // key.
      this.#serve();
      if (queueMs === 0) giveUp();
    });
  }

  #serve(): void {
    for (;;) {
      const next = this.#queue.take(({ hold, bytes }) => this.#fits(hold, bytes));
      if (next === undefined) return;
      next.admit();
    }
  }

  #fits(held: Held, bytes: number): boolean {
    const { share, total } = this.#shares();
    const isShort = held.bytes + bytes <= SHORT_BYTES;
    const available = isShort ? total : total * (1 - SHORT_SHARE);
    return this.#bytes + bytes <= available && (this.#byKey.get(held.keyId) ?? 0) + bytes <= share;
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
          `The key's requests in flight take ${share / MEGABYTE} MB together, the limit of one ` +
          "key; wait until some of them have ended",
      });
    }
    return new ServiceFault("no_model_available", {
      message:
        "The requests in flight take all the memory that is set aside for them; try again in a moment",
    });
  }
}
