/**
 * Deliveries: one message of an incident to one target, with its attempts.
 *
 * @module
 */

import { type Incident, INCIDENT_TYPES, type IncidentKind } from "./incident.ts";

/** States of a delivery. `dead`: it was given up, and an operator may send it again. */
export const DELIVERY_STATES = ["pending", "delivered", "dead"] as const;

/** A message about an incident. All its deliveries, repeated ones too, carry its id. */
export interface NoticeMessage {
  /** The incident's id and the message's number in it. */
  readonly id: string;
  /** Type for receivers, as `wallet.low`. */
  readonly type: (typeof INCIDENT_TYPES)[IncidentKind] | "test";
  readonly incident: string;
  readonly phase: "began" | "ended" | "test";
  /** Number of the message in its incident, from 1. */
  readonly number: number;
  readonly subject: string;
  readonly text: string;
  readonly facts: Readonly<Record<string, string>>;
  readonly atMs: number;
}

/** A message on its way to one target. */
export interface Delivery {
  /** Id of the message and of the target. */
  readonly id: string;
  readonly target: string;
  readonly message: NoticeMessage;
  readonly state: (typeof DELIVERY_STATES)[number];
  readonly attempts: number;
  /** Time of the next attempt while it is pending, else of the last one. */
  readonly nextAtMs: number;
  readonly lastAtMs?: number | undefined;
  /** One sentence about the last failure. */
  readonly problem?: string | undefined;
}

/** Result of an attempt. */
export type Attempted =
  | { readonly ok: true }
  | {
    readonly ok: false;
    readonly problem: string;
    /** Time that the receiver asked for. */
    readonly retryAfterMs?: number | undefined;
    /** True when the receiver wants no more: it is not tried again. */
    readonly gone?: boolean | undefined;
  };

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];

/**
 * Waits after each failed attempt; after the last the delivery is dead. Together two days, as the
 * schedule that Standard Webhooks suggests, but denser in its first hour.
 */
export const RETRY_WAITS_MS: readonly number[] = [
  ...[5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS],
  ...[20 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 2 * HOUR_MS, 4 * HOUR_MS],
  ...[8 * HOUR_MS, 12 * HOUR_MS, 20 * HOUR_MS],
];
/** Longest wait that a receiver can ask for. */
const RETRY_AFTER_MAX_MS = HOUR_MS;
/** Number of the last message of an incident: its end. */
const LAST_NUMBER = 2;
/** Reason for which a delivery is not sent again. */
const OVERTAKEN = "The end of its incident has arrived before it";
/** Maximum length of a kept problem, in UTF-16 code units. */
const PROBLEM_CHARS = 300;

/** Returns the message of an incident's beginning. */
export function beginningOf(incident: Incident): NoticeMessage {
  return { ...about(incident, 1), phase: "began", text: incident.text, atMs: incident.beganAtMs };
}

/** Returns the message of an incident's end. */
export function endOf(incident: Incident): NoticeMessage {
  const { endText = "", endedAtMs = incident.beganAtMs } = incident;
  return { ...about(incident, LAST_NUMBER), phase: "ended", text: endText, atMs: endedAtMs };
}

function about({ id, kind, subject, facts }: Incident, number: number) {
  const type = INCIDENT_TYPES[kind];
  return { id: `${id}_${number}`, type, incident: id, number, subject, facts };
}

/** Returns the first state of a delivery. */
export function newDelivery(message: NoticeMessage, target: string): Delivery {
  return {
    ...{ id: deliveryId(message.id, target), target, message },
    ...{ state: "pending", attempts: 0, nextAtMs: message.atMs },
  };
}

/** Returns the id of a message's delivery to a target. */
export function deliveryId(messageId: string, target: string): string {
  return `${messageId}.${target}`;
}

/** Returns the id of the delivery that must be over before this one; `undefined` for the first. */
export function deliveryBefore({ message, target }: Delivery): string | undefined {
  const { number, incident } = message;
  return number === 1 ? undefined : deliveryId(`${incident}_${number - 1}`, target);
}

/** Returns the id of the delivery that must not be over before this one; `undefined` for the last. */
export function deliveryAfter({ message, target }: Delivery): string | undefined {
  const { number, incident } = message;
  return number === LAST_NUMBER ? undefined : deliveryId(`${incident}_${number + 1}`, target);
}

/** Returns a delivery that comes too late: a later message of its incident has arrived. */
export function overtaken(delivery: Delivery, nowMs: number): Delivery {
  return { ...delivery, state: "dead", nextAtMs: nowMs, problem: OVERTAKEN };
}

/** Returns a delivery after an attempt. */
export function afterAttempt(delivery: Delivery, attempted: Attempted, nowMs: number): Delivery {
  const attempts = delivery.attempts + 1;
  const tried = { ...delivery, attempts, lastAtMs: nowMs, nextAtMs: nowMs };
  if (attempted.ok) return { ...tried, state: "delivered", problem: undefined };
  const problem = attempted.problem.slice(0, PROBLEM_CHARS);
  const waitMs = RETRY_WAITS_MS[attempts - 1];
  if (attempted.gone === true || waitMs === undefined) return { ...tried, state: "dead", problem };
  const askedMs = Math.min(RETRY_AFTER_MAX_MS, attempted.retryAfterMs ?? 0);
  return { ...tried, problem, nextAtMs: nowMs + Math.max(waitMs, askedMs) };
}

/** Returns a delivery that is tried again from its first wait on. */
export function revived(delivery: Delivery, nowMs: number): Delivery {
  return { ...delivery, state: "pending", attempts: 0, nextAtMs: nowMs };
}
