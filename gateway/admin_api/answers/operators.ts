import { z } from "zod";
import { GRANTS, RIGHTS, ROLES } from "../../domain/operators/roles.ts";
import { TRAIL_STAGES } from "../../domain/operators/trail.ts";
import { timeAnswer } from "./parts.ts";

const tokenFields = {
  id: z.string(),
  name: z.string(),
  createdAt: timeAnswer,
  expiresAt: timeAnswer,
  isInForce: z.boolean(),
};

/** An operator. */
export const operatorAnswer = z.strictObject({
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
  grants: z.array(z.enum(GRANTS)).describe("Rights besides those of the role"),
  state: z.enum(["active", "disabled"]),
  person: z.string().nullable().describe("Id of the same person at the identity provider"),
  createdAt: timeAnswer,
  tokens: z.array(z.strictObject(tokenFields)),
}).meta({ id: "Operator" });

/** Answer of `GET /operators`. */
export const operatorListAnswer = z.strictObject({
  operators: z.array(operatorAnswer),
  roles: z.array(z.strictObject({ role: z.enum(ROLES), rights: z.array(z.enum(RIGHTS)) }))
    .describe("The rights of each role"),
}).meta({ id: "OperatorList" });

const actor = {
  kind: z.enum(["emergency", "operator", "sso"]).describe(
    "`emergency`: the admin token; `sso`: signed in by the identity provider",
  ),
  id: z.string(),
  name: z.string(),
  role: z.enum(ROLES).nullable().describe("null for the admin token"),
};

/** Answer of `GET /operators/me`. */
export const meAnswer = z.strictObject({ ...actor, rights: z.array(z.enum(RIGHTS)) })
  .meta({ id: "Me" });

/** Answer of `POST /operators/{id}/tokens`. */
export const newOperatorTokenAnswer = z.strictObject({
  token: z.string().meta({ description: "Shown only in this answer", example: "svc_admin_…" }),
  ...tokenFields,
}).meta({ id: "NewOperatorToken" });

/** Answer of `GET /sessions`. */
export const sessionListAnswer = z.strictObject({
  sessions: z.array(z.strictObject({
    id: z.string(),
    ...{ who: z.strictObject(actor), address: z.string().nullable() },
    ...{ beganAt: timeAnswer, usedAt: timeAnswer },
  })).describe("Sessions of the console on this instance, the one used last first"),
}).meta({ id: "SessionList" });

/** Answer of `DELETE /sessions/{id}`. */
export const endedAnswer = z.strictObject({ ended: z.literal(true) }).meta({ id: "SessionEnd" });

/** An entry of the audit log. */
export const auditEntryAnswer = z.strictObject({
  place: z.int().min(1),
  at: timeAnswer,
  who: z.strictObject({
    kind: z.enum(["emergency", "operator", "sso", "nobody"]),
    id: z.string(),
    name: z.string(),
  }),
  address: z.string().nullable().describe("Address of the peer"),
  requestId: z.string(),
  action: z.string().describe("Id of the operation, or an event such as `signIn`"),
  stage: z.enum(TRAIL_STAGES).describe(
    "`begun` is stored before a change, `done` or `refused` after it",
  ),
  subject: z.string(),
  of: z.int().min(1).nullable().describe("Place of the entry that began the change"),
  values: z.unknown().describe("Values that a change was asked with, without secrets"),
  before: z.unknown().describe("Fields that differ, as they were"),
  after: z.unknown().describe("Fields that differ, as they are"),
  remark: z.string().nullable(),
}).meta({ id: "AuditEntry" });

/** Answer of `GET /audit`. */
export const auditListAnswer = z.strictObject({
  entries: z.array(auditEntryAnswer),
  cursor: z.string().nullable(),
}).meta({ id: "AuditList" });

/** Answer of `GET /audit/verify`. */
export const auditVerifyAnswer = z.strictObject({
  ok: z.boolean(),
  entries: z.int().min(0),
  head: z.string().describe("SHA-256 of the last entry, hexadecimal"),
  problem: z.string().nullable(),
}).meta({ id: "AuditVerification" });

/** One line of `GET /audit/export`: an entry, or the end. */
export const auditLineAnswer = z.union([
  z.strictObject({ hash: z.string(), entry: z.looseObject({ place: z.int() }) }),
  z.strictObject({ end: z.strictObject({ entries: z.int(), head: z.string() }) }),
]).meta({ id: "AuditLine" });
