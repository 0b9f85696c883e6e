import {
  beginningOf,
  type Delivery,
  endOf,
  newDelivery,
  type NoticeMessage,
} from "../domain/notices/delivery.ts";
import {
  type Condition,
  conditionKey,
  type Incident,
  type IncidentKind,
  isByInstance,
  isCountless,
  sightsOf,
} from "../domain/notices/incident.ts";
import { type NoticeTarget, wants } from "../domain/notices/target.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { NoticeStore } from "../ports/notice_store.ts";
import type { Rng } from "../ports/rng.ts";

/**
 * Maximum number of incidents of one kind about wallets or keys that have not ended; further ones
 * begin when others are over. Those of the other kinds are few.
 */
export const OPEN_MAX = 1_000;
/** Time after which an instance says again that it sees an incident, in milliseconds. */
const SIGHT_AGAIN_MS = 60_000;

/** Parts of the incidents. */
export interface IncidentsDeps {
  readonly store: Pick<NoticeStore, "begin" | "see" | "end" | "open">;
  readonly clock: Clock;
  readonly rng: Rng;
  readonly logger: Logger;
  /** Id of this instance. */
  readonly instance: string;
}

/** Begins and ends incidents: one for as long as a condition holds, and one message for each. */
export class Incidents {
  readonly #deps: IncidentsDeps;
  /** Incidents that have not ended, by the name of their condition, as they were read last. */
  #open: ReadonlyMap<string, Incident> = new Map();
  /** Kinds of which there are too many: only the first that does not begin is logged. */
  readonly #full = new Set<IncidentKind>();

  constructor(deps: IncidentsDeps) {
    this.#deps = deps;
  }

  /** Reads the incidents that have not ended, also those of other instances. */
  async refresh(): Promise<void> {
    const open = await this.#deps.store.open();
    this.#open = new Map(open.map((incident) => [conditionKey(incident), incident]));
    for (const kind of this.#full) if (!this.#hasMax(kind)) this.#full.delete(kind);
  }

  /** The incidents that have not ended. */
  get open(): readonly Incident[] {
    return [...this.#open.values()];
  }

  /** Begins an incident unless the condition is one already; then says that it is still seen. */
  async raise(condition: Condition, targets: readonly NoticeTarget[]): Promise<void> {
    const { store, clock, rng, logger, instance } = this.#deps;
    const name = conditionKey(condition);
    const known = this.#open.get(name);
    if (known !== undefined) {
      const ageMs = clock.nowMs() - (sightsOf(known)[instance] ?? -Infinity);
      if (isByInstance(known.kind) && ageMs >= SIGHT_AGAIN_MS) await this.sightOf(known, true);
      return;
    }
    if (this.#isRefused(condition)) return;
    const receivers = targets.filter((target) => wants(target, condition.kind)).map(({ id }) => id);
    const incident: Incident = {
      ...condition,
      ...{ id: rng.id("inc"), beganAtMs: clock.nowMs(), targets: receivers, by: instance },
    };
    const begun = await store.begin(incident, deliveriesOf(beginningOf(incident), receivers));
    this.#open = new Map(this.#open).set(name, incident);
    const { id, kind, subject, text } = incident;
    if (begun) logger.warn("incident_began", { incident: id, kind, subject, message: text });
  }

  /** Notes that this instance sees an incident, or that it no longer does. */
  async sightOf({ id }: Incident, isSeen: boolean): Promise<void> {
    const { store, clock, instance } = this.#deps;
    await store.see(id, { instance, nowMs: clock.nowMs(), isSeen });
  }

  /** Ends an incident, and notifies the targets that received its beginning. */
  async end(
    incident: Incident,
    endText: string,
    targets: readonly NoticeTarget[],
  ): Promise<void> {
    const { store, clock, logger } = this.#deps;
    const ended = { ...incident, endedAtMs: clock.nowMs(), endText };
    const present = incident.targets.filter((id) => targets.some((target) => target.id === id));
    const isEnded = await store.end(ended, deliveriesOf(endOf(ended), present));
    const open = new Map(this.#open);
    open.delete(conditionKey(incident));
    this.#open = open;
    const { id, kind, subject } = incident;
    if (isEnded) logger.info("incident_ended", { incident: id, kind, subject, message: endText });
  }

  #isRefused({ kind, subject }: Condition): boolean {
    if (this.#full.has(kind)) return true;
    if (!this.#hasMax(kind)) return false;
    this.#full.add(kind);
    this.#deps.logger.warn("incident_not_begun", { kind, subject, open: OPEN_MAX });
    return true;
  }

  #hasMax(kind: IncidentKind): boolean {
    return isCountless(kind) && this.open.filter((one) => one.kind === kind).length >= OPEN_MAX;
  }
}

function deliveriesOf(message: NoticeMessage, targets: readonly string[]): Delivery[] {
  return targets.map((target) => newDelivery(message, target));
}
