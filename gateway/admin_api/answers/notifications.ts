/**
 * Answers about notifications: targets, incidents and deliveries.
 *
 * @module
 */

import { z } from "zod";
import { DELIVERY_STATES } from "../../domain/notices/delivery.ts";
import { INCIDENT_KINDS } from "../../domain/notices/incident.ts";
import { TARGET_KINDS } from "../../domain/notices/target.ts";
import { countAnswer, cursorAnswer, timeAnswer } from "./parts.ts";

const target = {
  id: z.string(),
  name: z.string(),
  kind: z.enum(TARGET_KINDS),
  place: z.string().describe("Where it is, without anything that could be a secret"),
  incidents: z.array(z.enum(INCIDENT_KINDS)).nullable().describe("null: all kinds"),
  createdAt: timeAnswer,
};

/** A target of notifications. */
export const targetAnswer = z.strictObject(target).meta({ id: "NotificationTarget" });

/** Answer of `POST /notify/targets`. */
export const newTargetAnswer = z.strictObject({
  ...target,
  secret: z.string().nullable().describe(
    "Secret of the signatures of a webhook, shown this once; null for other kinds",
  ),
}).meta({ id: "NewNotificationTarget" });

/** Answer of `GET /notify/targets`. */
export const targetListAnswer = z.strictObject({ targets: z.array(targetAnswer) });

/** Answer of `POST /notify/targets/{id}/test`. */
export const targetTestAnswer = z.strictObject({
  ok: z.boolean().describe("True where the receiver accepted the message"),
  problem: z.string().nullable(),
}).meta({ id: "NotificationTest" });

/** An incident. */
export const incidentAnswer = z.strictObject({
  id: z.string(),
  kind: z.enum(INCIDENT_KINDS),
  subject: z.string().describe("Id of the wallet, key or upstream; empty where there is only one"),
  text: z.string(),
  beganAt: timeAnswer,
  endedAt: timeAnswer.nullable(),
  endText: z.string().nullable(),
}).meta({ id: "Incident" });

/** Answer of `GET /notify/incidents`. */
export const incidentListAnswer = z.strictObject({
  incidents: z.array(incidentAnswer),
  cursor: cursorAnswer,
});

/** A delivery: a message on its way to a target. */
export const deliveryAnswer = z.strictObject({
  id: z.string(),
  message: z.string().describe("Id that the receiver gets, the same with every repetition"),
  target: z.string(),
  incident: z.string(),
  type: z.string(),
  phase: z.enum(["began", "ended", "test"]),
  text: z.string(),
  state: z.enum(DELIVERY_STATES),
  attempts: countAnswer,
  at: timeAnswer,
  lastAt: timeAnswer.nullable().describe("Time of the last attempt"),
  nextAt: timeAnswer.nullable().describe("Time of the next attempt; null where there is none"),
  problem: z.string().nullable().describe("Why the last attempt failed"),
}).meta({ id: "NotificationDelivery" });

/** Answer of `GET /notify/deliveries`. */
export const deliveryListAnswer = z.strictObject({
  deliveries: z.array(deliveryAnswer),
  cursor: cursorAnswer,
});

/** Answer of `POST /backups/reports`. */
export const backupReportAnswer = z.strictObject({ noted: z.literal(true) });
