import {
  afterAttempt,
  type Delivery,
  deliveryAfter,
  deliveryBefore,
  overtaken,
} from "../domain/notices/delivery.ts";
import type { NoticeTarget } from "../domain/notices/target.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import { LEASE_SAFE_MS, type NoticeStore } from "../ports/notice_store.ts";
import { ATTEMPT_MS, type Send } from "./send.ts";

/** Deliveries to one target that are read at once. */
const BATCH = 20;
/** After a success, deliveries whose last attempt is this old are tried before their time. */
const BACKLOG_MS = 30_000;
/** Time before every pending delivery is due, in Unix milliseconds. */
const EVER_MS = Number.MAX_SAFE_INTEGER;
/**
 * Time without attempts at a target after a failure of the store: a message whose arrival cannot be
 * noted would else be repeated each second.
 */
const PAUSE_MS = 60_000;
/** Time by which a message that must wait for the one before it is put off. */
const BEHIND_MS = 1_000;

/** Parts of the outbox. */
export interface OutboxDeps {
  readonly store: Pick<NoticeStore, "due" | "delivery" | "record" | "lead">;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly send: Send;
}

/**
 * Sends what is due: at least once, one message at a time to each target, and the messages of an
 * incident in order. Only the instance with the lease sends; the lease is kept before each attempt, so
 * that no other instance sends meanwhile. A slow target delays no other one.
 */
export class Outbox {
  readonly #deps: OutboxDeps;
  readonly #working = new Map<string, Promise<void>>();
  /** Ends of pauses, by target. */
  readonly #pauses = new Map<string, number>();
  readonly #closing = new AbortController();

  constructor(deps: OutboxDeps) {
    this.#deps = deps;
  }

  /** Begins to send what is due to each target that is not being sent to. */
  start(targets: readonly NoticeTarget[]): void {
    for (const target of targets) {
      if (this.#closing.signal.aborted || this.#working.has(target.id)) continue;
      if (this.#deps.clock.monotonicMs() < (this.#pauses.get(target.id) ?? -Infinity)) continue;
      const work = this.#serve(target)
        .catch((error) => {
          this.#pauses.set(target.id, this.#deps.clock.monotonicMs() + PAUSE_MS);
          const message = error instanceof Error ? error.message : String(error);
          this.#deps.logger.error("notifications_not_sent", { target: target.id, message });
        })
        .finally(() => this.#working.delete(target.id));
      this.#working.set(target.id, work);
    }
  }

  /** Resolves when nothing is being sent. */
  async idle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working.values());
  }

  /** Breaks off the attempts in flight: the next start repeats them. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.idle();
  }

  async #serve(target: NoticeTarget): Promise<void> {
    const { store, clock } = this.#deps;
    let nowMs = clock.nowMs();
    for (;;) {
      const due = await store.due({ target: target.id, nowMs, limit: BATCH });
      if (due.length === 0) return;
      const worked = await this.#sendAll(target, due);
      if (!worked.goOn) return;
      nowMs = clock.nowMs();
      // It answers again: what has waited long need not wait for its time.
      if (worked.succeeded) await this.#hasten(target, nowMs);
    }
  }

  /** Sends some deliveries, one after another. */
  async #sendAll(
    target: NoticeTarget,
    due: readonly Delivery[],
  ): Promise<{ readonly goOn: boolean; readonly succeeded: boolean }> {
    const { store, clock } = this.#deps;
    let succeeded = false;
    for (const delivery of due) {
      const startedMs = clock.monotonicMs();
      if (this.#closing.signal.aborted || !await store.lead()) return { goOn: false, succeeded };
      if (await this.#isBehind(delivery) || await this.#isOvertaken(delivery)) continue;
      // A slow store may have used the time for which the lease is safe.
      if (clock.monotonicMs() - startedMs > LEASE_SAFE_MS - ATTEMPT_MS) {
        return { goOn: false, succeeded };
      }
      const sent = await this.#attempt(target, delivery);
      succeeded ||= sent.state === "delivered";
    }
    return { goOn: true, succeeded };
  }

  /** Puts a delivery off whose incident has an earlier one on its way to the same target. */
  async #isBehind(delivery: Delivery): Promise<boolean> {
    const { store, clock } = this.#deps;
    const before = deliveryBefore(delivery);
    const earlier = before === undefined ? undefined : await store.delivery(before);
    if (earlier?.state !== "pending") return false;
    const nextAtMs = Math.max(clock.nowMs(), earlier.nextAtMs) + BEHIND_MS;
    await store.record({ ...delivery, nextAtMs });
    return true;
  }

  /** Gives a delivery up that was sent again while a later one of its incident was on its way. */
  async #isOvertaken(delivery: Delivery): Promise<boolean> {
    const { store, clock } = this.#deps;
    if (!await hasOvertaken(delivery, store)) return false;
    await store.record(overtaken(delivery, clock.nowMs()));
    return true;
  }

  async #attempt(target: NoticeTarget, delivery: Delivery): Promise<Delivery> {
    const { store, clock, logger, send } = this.#deps;
    const { signal } = this.#closing;
    const attempted = await send(target, delivery.message, signal);
    if (!attempted.ok && signal.aborted) return delivery;
    const after = afterAttempt(delivery, attempted, clock.nowMs());
    await store.record(after);
    if (after.state === "dead") {
      const { id: message, type } = delivery.message;
      logger.error("notification_given_up", {
        ...{ target: target.id, message, type, attempts: after.attempts },
        ...{ problem: after.problem },
      });
    }
    return after;
  }

  /** Makes deliveries due that wait for their time although their last attempt was long ago. */
  async #hasten(target: NoticeTarget, nowMs: number): Promise<void> {
    const { store } = this.#deps;
    const waiting = await store.due({ target: target.id, nowMs: EVER_MS, limit: BATCH });
    for (const delivery of waiting) {
      const { nextAtMs, lastAtMs = nowMs - BACKLOG_MS } = delivery;
      if (nextAtMs <= nowMs || lastAtMs > nowMs - BACKLOG_MS) continue;
      await store.record({ ...delivery, nextAtMs: nowMs });
    }
  }
}

/** True when a later message of the same incident has arrived at the same target. */
export async function hasOvertaken(
  delivery: Delivery,
  store: Pick<NoticeStore, "delivery">,
): Promise<boolean> {
  const after = deliveryAfter(delivery);
  return after !== undefined && (await store.delivery(after))?.state === "delivered";
}
