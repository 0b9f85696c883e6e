import type { AnswerOf, CheckedBodyOf } from "../../admin_api/operations.ts";
import { ServiceFault } from "../../domain/fault.ts";
import type { Delivery } from "../../domain/notices/delivery.ts";
import type { Incident } from "../../domain/notices/incident.ts";
import { type NoticeTarget, shownPlace } from "../../domain/notices/target.ts";
import type { NoticePage } from "../../ports/notice_store.ts";
import type { NewTarget } from "../../ports/notices.ts";
import type { PageQuery } from "../../admin_api/query_fields.ts";
import type { AdminDeps } from "../deps.ts";
import { isoTime, isoTimeOrNull } from "../json_values.ts";
import type { Handlers } from "../routes.ts";

/** Handlers of notifications: targets, incidents and deliveries. Secrets are shown once or never. */
export function notificationHandlers({ notices }: AdminDeps) {
  return {
    "GET /notify/targets": async () => ({ targets: (await notices.targets()).map(targetJson) }),
    "POST /notify/targets": async ({ body, entry }) => {
      const added = await notices.add(newTarget(await body()), { entry: entry(targetJson) });
      if (!added.ok) throw notAdded(added);
      const { target } = added;
      const secret = target.place.kind === "webhook" ? target.place.secret : null;
      return { ...targetJson(target), secret };
    },
    "DELETE /notify/targets/{id}": async ({ path: { id }, entry }) => {
      if (!await notices.remove(id, { entry: entry(targetJson) })) throw noTarget(id);
      return { id, deleted: true };
    },
    "POST /notify/targets/{id}/test": async ({ path: { id } }) => {
      const attempted = await notices.test(id);
      if (attempted === undefined) throw noTarget(id);
      return { ok: attempted.ok, problem: attempted.ok ? null : attempted.problem };
    },
    "GET /notify/incidents": async ({ query }) => {
      const { rows, cursor } = pageFrom(await notices.incidents(storeQuery(query())));
      return { incidents: rows.map(incidentJson), cursor };
    },
    "GET /notify/deliveries": async ({ query }) => {
      const { state, ...page } = query();
      const deliveries = await notices.deliveries({ ...storeQuery(page), state });
      const { rows, cursor } = pageFrom(deliveries);
      return { deliveries: rows.map(deliveryJson), cursor };
    },
    "POST /notify/deliveries/{id}/retry": async ({ path: { id }, entry }) => {
      const retried = await notices.retry(id, { entry: entry(deliveryJson) });
      if (retried === undefined) {
        throw new ServiceFault("not_found", { message: `There is no delivery "${id}"` });
      }
      if (!retried.ok) throw new ServiceFault("conflict", { message: retried.problem });
      return deliveryJson(retried.delivery);
    },
    "POST /backups/reports": async ({ body }) => {
      const { problem } = await body();
      await notices.noteBackup(problem ?? undefined);
      return { noted: true };
    },
  } satisfies Partial<Handlers>;
}

/** Returns a target from its fields; each kind has its own. */
function newTarget(
  { name, kind, url, mail, incidents }: CheckedBodyOf<"POST /notify/targets">,
): NewTarget {
  const named = { name, kinds: incidents };
  if (kind === "email") {
    if (mail === undefined) throw missing("mail", "A target of kind email needs its mail server");
    if (url !== undefined) throw missing("url", "A target of kind email has no url");
    return { ...named, place: { kind, mail } };
  }
  if (url === undefined) throw missing("url", `A target of kind ${kind} needs its url`);
  if (mail !== undefined) throw missing("mail", `A target of kind ${kind} has no mail server`);
  return { ...named, place: { kind, url } };
}

function missing(param: string, message: string): ServiceFault {
  return new ServiceFault("invalid_request", { message, param });
}

function notAdded({ problem, param }: { problem: string; param?: string | undefined }) {
  return param === undefined
    ? new ServiceFault("conflict", { message: problem })
    : new ServiceFault("invalid_request", { message: problem, param });
}

function noTarget(id: string): ServiceFault {
  return new ServiceFault("not_found", { message: `There is no target "${id}"` });
}

function targetJson(target: NoticeTarget): AnswerOf<"GET /notify/targets">["targets"][number] {
  const { id, name, place: { kind }, kinds = null, createdAtMs } = target;
  const createdAt = isoTime(createdAtMs);
  return { id, name, kind, place: shownPlace(target), incidents: kinds, createdAt };
}

function incidentJson(
  { id, kind, subject, text, beganAtMs, endedAtMs, endText }: Incident,
): AnswerOf<"GET /notify/incidents">["incidents"][number] {
  const times = { beganAt: isoTime(beganAtMs), endedAt: isoTimeOrNull(endedAtMs) };
  return { id, kind, subject, text, ...times, endText: endText ?? null };
}

function deliveryJson(
  { id, target, message, state, attempts, nextAtMs, lastAtMs, problem }: Delivery,
): AnswerOf<"POST /notify/deliveries/{id}/retry"> {
  const { incident, type, phase, text, atMs } = message;
  return {
    ...{ id, message: message.id, target, incident, type, phase, text, state, attempts },
    problem: problem ?? null,
    at: isoTime(atMs),
    lastAt: isoTimeOrNull(lastAtMs),
    nextAt: state === "pending" ? isoTime(nextAtMs) : null,
  };
}

/** A cursor is a letter and the id of the last row, in letters that an address can carry. */
function storeQuery({ limit, cursor }: PageQuery): PageQuery {
  if (cursor === undefined) return { limit };
  const bytes = /^n\.[A-Za-z0-9_-]+$/.test(cursor) && (cursor.length - 2) % 4 !== 1
    ? Uint8Array.fromBase64(cursor.slice(2), {
      alphabet: "base64url",
      lastChunkHandling: "loose",
    })
    : new Uint8Array();
  // The cursor of another list reads as the end.
  return { limit, cursor: new TextDecoder().decode(bytes) };
}

function pageFrom<Row>(
  { rows, cursor }: NoticePage<Row>,
): { readonly rows: readonly Row[]; readonly cursor: string | null } {
  if (cursor === undefined) return { rows, cursor: null };
  const bytes = new TextEncoder().encode(cursor);
  return { rows, cursor: `n.${bytes.toBase64({ alphabet: "base64url", omitPadding: true })}` };
}
