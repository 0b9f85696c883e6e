import {
  beginningOf,
  type Delivery,
  endOf,
  newDelivery,
  type NoticeMessage,
} from "../domain/notices/delivery.ts";
import { type Condition, conditionKey, type Incident } from "../domain/notices/incident.ts";
import { type NoticeTarget, wants } from "../domain/notices/target.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { NoticeStore } from "../ports/notice_store.ts";
import type { Rng } from "../ports/rng.ts";

/** Maximum number of incidents that have not ended; further ones begin when others are over. */
export const OPEN_MAX = 1_000;

/** Parts of the incidents. */
export interface IncidentsDeps {
  readonly store: Pick<NoticeStore, "begin" | "end" | "open">;
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

  constructor(deps: IncidentsDeps) {
    this.#deps = deps;
  }

  /** Reads the incidents that have not ended, also those of other instances. */
  async refresh(): Promise<void> {
    const open = await this.#deps.store.open();
    this.#open = new Map(open.map((incident) => [conditionKey(incident), incident]));
  }

  /** The incidents that have not ended. */
  get open(): readonly Incident[] {
    return [...this.#open.values()];
  }

  /** Begins an incident unless the condition is one already. */
  async raise(condition: Condition, targets: readonly NoticeTarget[]): Promise<void> {
    const { store, clock, rng, logger, instance } = this.#deps;
    const name = conditionKey(condition);
    if (this.#open.has(name)) return;
    if (this.#open.size >= OPEN_MAX) {
      logger.warn("incident_not_begun", { kind: condition.kind, subject: condition.subject });
      return;
    }
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
}

function deliveriesOf(message: NoticeMessage, targets: readonly string[]): Delivery[] {
  return targets.map((target) => newDelivery(message, target));
}
