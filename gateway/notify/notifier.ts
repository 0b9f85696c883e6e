import {
  type Attempted,
  type Delivery,
  type NoticeMessage,
  revived,
} from "../domain/notices/delivery.ts";
import type { Incident } from "../domain/notices/incident.ts";
import { type NoticeTarget, TARGETS_MAX } from "../domain/notices/target.ts";
import type { Noted } from "../domain/operators/trail.ts";
import { isUnreadable } from "../ports/fetch_image.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type {
  DeliveryQuery,
  NoticePage,
  NoticePageQuery,
  NoticeStore,
} from "../ports/notice_store.ts";
import type { NewTarget, Notices, Retried, TargetAdded } from "../ports/notices.ts";
import type { VerificationStep } from "../ports/ledger_store.ts";
import type { Rng } from "../ports/rng.ts";
import { Checks } from "./checks.ts";
import { Events } from "./events.ts";
import { Incidents } from "./incidents.ts";
import { lookAtAll, lookAtNews, lookAtOpen, type LookDeps, type Sources } from "./look.ts";
import { hasOvertaken, Outbox } from "./outbox.ts";
import { type PlacePolicy, readMailHost, readPlace } from "./place.ts";
import type { Send } from "./send.ts";
import { newSecret } from "./webhook.ts";

/** Time between two rounds, in milliseconds. */
export const ROUND_MS = 1_000;
/** Time between two looks at the incidents that have not ended, in milliseconds. */
const OPEN_LOOK_MS = 10_000;
/** Time between two looks at all wallets and keys, in milliseconds. */
const ALL_LOOK_MS = 3_600_000;
/** Time for which incidents are kept after their end, in milliseconds. */
const KEPT_MS = 90 * 86_400_000;

/** Parts of the notifications. */
export interface NotifierDeps {
  readonly store: NoticeStore;
  readonly sources: Sources;
  readonly policy: PlacePolicy;
  readonly send: Send;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
  /** Id of this instance; the same after a restart where there is only one. */
  readonly instance: string;
}

/**
 * Tells operators of incidents. Works in rounds beside the requests, which only leave ids in
 * {@linkcode Events}. A round that fails is repeated with all that it had to look at.
 */
export class Notifier implements Notices {
  readonly events = new Events();
  readonly #deps: NotifierDeps;
  readonly #look: LookDeps;
  readonly #incidents: Incidents;
  readonly #checks: Checks;
  readonly #outbox: Outbox;
  #round: Promise<void> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #targets: readonly NoticeTarget[] = [];
  #openLookMs = -Infinity;
  #allLookMs = -Infinity;
  /** True while rounds fail: only the first one is logged. */
  #isFailing = false;

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
    this.#incidents = new Incidents(deps);
    this.#checks = new Checks({ store: deps.store, incidents: this.#incidents });
    this.#outbox = new Outbox(deps);
    this.#look = { ...deps, incidents: this.#incidents, events: this.events };
  }

  /** Works in rounds until it is closed. */
  start(): void {
    this.#timer = setInterval(() => void this.tick(), ROUND_MS);
    Deno.unrefTimer(this.#timer);
  }

  /** Runs a round unless one is under way. Never rejects. */
  tick(): Promise<void> {
    return this.#round ??= this.#work()
      .then(() => void (this.#isFailing = false), (error) => {
        if (this.#isFailing) return;
        this.#isFailing = true;
        const message = error instanceof Error ? error.message : String(error);
        this.#deps.logger.error("notifications_failed", { message });
      })
      .finally(() => this.#round = undefined);
  }

  /** Resolves when nothing is being sent. */
  idle(): Promise<void> {
    return this.#outbox.idle();
  }

  /** Ends after the round, and breaks off attempts in flight. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#round;
    await this.#outbox.close();
  }

  targets(): Promise<readonly NoticeTarget[]> {
    return this.#deps.store.targets();
  }

  async add(
    { name, kinds, place }: NewTarget,
    options: Noted<NoticeTarget> = {},
  ): Promise<TargetAdded> {
    const { store, policy, rng, clock } = this.#deps;
    const isMail = place.kind === "email";
    const url = isMail ? readMailHost(place.mail, policy) : readPlace(place.url, policy);
    if (isUnreadable(url)) {
      return {
        ok: false,
        problem: `Cannot notify it: ${url.problem}`,
        param: isMail ? "host" : "url",
      };
    }
    const secret = place.kind === "webhook" ? { ...place, secret: newSecret() } : place;
    const target: NoticeTarget = {
      ...{ id: rng.id("tgt"), name, place: secret, createdAtMs: clock.nowMs() },
      ...(kinds === undefined ? {} : { kinds }),
    };
    if (!await store.putTarget(target, options)) {
      return { ok: false, problem: `There are ${TARGETS_MAX} targets already: remove one` };
    }
    this.events.isWanted = true;
    this.#allLookMs = -Infinity;
    return { ok: true, target };
  }

  remove(id: string, options: Noted<NoticeTarget> = {}): Promise<boolean> {
    return this.#deps.store.removeTarget(id, options);
  }

  async test(id: string): Promise<Attempted | undefined> {
    const { clock, rng, send } = this.#deps;
    const target = (await this.targets()).find((one) => one.id === id);
    if (target === undefined) return undefined;
    const incident = rng.id("test");
    const message: NoticeMessage = {
      ...{ id: `${incident}_1`, type: "test", incident, phase: "test", number: 1 },
      ...{ subject: target.id, text: `A test of the target "${target.name}"`, facts: {} },
      atMs: clock.nowMs(),
    };
    return await send(target, message);
  }

  incidents(query: NoticePageQuery): Promise<NoticePage<Incident>> {
    return this.#deps.store.incidents(query);
  }

  deliveries(query: DeliveryQuery): Promise<NoticePage<Delivery>> {
    return this.#deps.store.deliveries(query);
  }

  async retry(id: string, options: Noted<Delivery> = {}): Promise<Retried | undefined> {
    const { store, clock } = this.#deps;
    const delivery = await store.delivery(id);
    if (delivery?.state !== "dead") return withoutRetry(delivery);
    if (await hasOvertaken(delivery, store)) {
      return { ok: false, problem: `The end of the incident of delivery "${id}" has arrived` };
    }
    const again = revived(delivery, clock.nowMs());
    if (await store.revive(again, options)) return { ok: true, delivery: again };
    // Another operator was first, or has removed the target.
    const now = await store.delivery(id);
    if (now?.state !== "dead") return withoutRetry(now);
    return { ok: false, problem: `The target of delivery "${id}" was removed` };
  }

  async noteBackup(problem: string | undefined): Promise<void> {
    this.#checks.noteBackup(problem);
    await this.#checks.settle();
  }

  /**
   * Passes the steps of a verification of the ledger on, and notes how it ends before its last step. A
   * failure of the store does not fail the verification: the next rounds note it.
   */
  async *checking(
    steps: AsyncGenerator<VerificationStep, void>,
  ): AsyncGenerator<VerificationStep, void> {
    try {
      for await (const step of steps) {
        if (step.result !== undefined) await this.#noteLedger(step.result);
        yield step;
      }
    } catch (error) {
      await this.#noteLedger({ failure: error instanceof Error ? error.message : String(error) });
      throw error;
    }
  }

  async #noteLedger(result: Parameters<Checks["noteLedger"]>[0]): Promise<void> {
    this.#checks.noteLedger(result);
    await this.#checks.settle().catch(() => {});
  }

  async #work(): Promise<void> {
    const { store, clock } = this.#deps;
    this.#targets = await store.targets();
    this.events.isWanted = this.#targets.length > 0;
    if (!this.events.isWanted) return;
    const leads = await store.lead();
    if (leads) this.#outbox.start(this.#targets);
    await this.#lookAround(clock.nowMs(), leads);
    if (leads) this.#outbox.start(this.#targets);
  }

  /** Each instance looks at what it has seen; one of them looks at everything now and then. */
  async #lookAround(nowMs: number, leads: boolean): Promise<void> {
    const { store } = this.#deps;
    const happened = this.events.take();
    try {
      await this.#checks.settle();
      await this.#incidents.refresh();
      await lookAtNews(this.#look, happened, this.#targets);
      if (happened.isAll || leads && isDue(this.#allLookMs, ALL_LOOK_MS, nowMs)) {
        await lookAtAll(this.#look, this.#targets);
        await store.sweep(nowMs - KEPT_MS);
        this.#allLookMs = nowMs;
      }
      if (isDue(this.#openLookMs, OPEN_LOOK_MS, nowMs)) {
        await lookAtOpen(this.#look, this.#targets);
        this.#openLookMs = nowMs;
      }
    } catch (error) {
      this.events.putBack(happened);
      throw error;
    }
  }
}

/** True when it is time again; also when the clock has gone back. */
function isDue(lastMs: number, everyMs: number, nowMs: number): boolean {
  return nowMs - lastMs >= everyMs || nowMs < lastMs;
}

/** Returns the result for a delivery that is on its way or has arrived. */
function withoutRetry(delivery: Delivery | undefined): Retried | undefined {
  if (delivery?.state !== "delivered") return delivery && { ok: true, delivery };
  return { ok: false, problem: `Delivery "${delivery.id}" has arrived already` };
}
