import { z } from "zod";
import { DELIVERY_STATES } from "../../domain/notices/delivery.ts";
import { INCIDENT_KINDS } from "../../domain/notices/incident.ts";
import { MAIL_SECURITIES, shownMail, shownUrl, TARGET_KINDS } from "../../domain/notices/target.ts";
import * as answers from "../answers/notifications.ts";
import { deletedAnswer } from "../answers/vector_stores.ts";
import { strict } from "../fields.ts";
import { label } from "../label.ts";
import type { AdminOperations } from "../operation.ts";
import type { QueryFields } from "../query_fields.ts";

const mailAddress = z.string().max(254).regex(
  /^(?:[^<>\r\n,;]{0,100}<[^\s<>@,;]{1,64}@[^\s<>@,;]{1,190}>|[^\s<>@,;]{1,64}@[^\s<>@,;]{1,190})$/,
  "Give one mail address, as ops@example.com or Ops <ops@example.com>",
);

/** A mail server and the letters to it. */
const mail = strict({
  host: z.string().max(253).regex(/^[A-Za-z0-9.:-]+$/, "Give the name or address of a mail server"),
  port: z.int().min(1).max(65_535).default(587),
  security: z.enum(MAIL_SECURITIES).default("starttls"),
  user: label(256).optional(),
  password: z.string().min(1).max(1_000).optional().describe("Is not shown again"),
  from: mailAddress,
  to: z.array(mailAddress).min(1).max(20),
});

const newTarget = strict({
  name: label(100),
  kind: z.enum(TARGET_KINDS),
  url: z.string().min(1).max(4_096).optional().describe("Of a webhook, or of a Slack hook"),
  mail: mail.optional().describe("Of e-mail"),
  incidents: z.array(z.enum(INCIDENT_KINDS)).min(1).optional()
    .describe("Kinds of incidents; all where it is left out"),
});

/** Returns a new target for the audit log, with its place as it is shown. */
function loggedTarget(body: unknown): unknown {
  const { url, mail, ...named } = newTarget.parse(body);
  const places = [
    url === undefined ? [] : shownUrl(url),
    mail === undefined ? [] : shownMail(mail),
  ];
  return { ...named, place: places.flat().join(", ") };
}

/** Notifications: targets, incidents and deliveries. */
export const NOTIFICATION_OPERATIONS = {
  "GET /notify/targets": {
    id: "listNotificationTargets",
    right: "read",
    summary: "List the targets of notifications",
    answer: answers.targetListAnswer,
  },
  "POST /notify/targets": {
    id: "createNotificationTarget",
    right: "notifications",
    trail: "commit",
    summary: "Add a target of notifications",
    description: "A webhook is signed as Standard Webhooks says, with the secret in the answer. " +
      "It receives incidents that begin from then on.",
    body: newTarget,
    logged: loggedTarget,
    example: { name: "On call", kind: "webhook", url: "https://hooks.example.com/svc" },
    status: 201,
    answer: answers.newTargetAnswer,
    codes: ["conflict"],
  },
  "DELETE /notify/targets/{id}": {
    id: "deleteNotificationTarget",
    right: "notifications",
    trail: "commit",
    summary: "Remove a target with its deliveries",
    answer: deletedAnswer,
  },
  "POST /notify/targets/{id}/test": {
    id: "testNotificationTarget",
    right: "notifications",
    summary: "Send a test to a target at once",
    answer: answers.targetTestAnswer,
  },
  "GET /notify/incidents": {
    id: "listIncidents",
    right: "read",
    summary: "List the incidents, the newest first",
    query: ({ page }: QueryFields) => ({ ...page }),
    answer: answers.incidentListAnswer,
  },
  "GET /notify/deliveries": {
    id: "listNotificationDeliveries",
    right: "read",
    summary: "List the deliveries, the newest first",
    query: ({ page }: QueryFields) => ({ state: z.enum(DELIVERY_STATES).optional(), ...page }),
    answer: answers.deliveryListAnswer,
  },
  "POST /notify/deliveries/{id}/retry": {
    id: "retryNotificationDelivery",
    right: "notifications",
    trail: "commit",
    summary: "Send a delivery that was given up again",
    answer: answers.deliveryAnswer,
    codes: ["conflict"],
  },
  "POST /backups/reports": {
    id: "reportBackup",
    right: "notifications",
    summary: "Report how a backup ended",
    description: "A problem is an incident until a backup without one is reported. `svc backup` " +
      "reports by itself.",
    body: strict({
      problem: z.string().trim().min(1).max(500).nullable().describe("null: the backup succeeded"),
    }),
    example: { problem: "The disk is full" },
    answer: answers.backupReportAnswer,
  },
} as const satisfies AdminOperations;
