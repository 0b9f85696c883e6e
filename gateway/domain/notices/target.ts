/**
 * Targets of notifications: places that receive incidents.
 *
 * @module
 */

import type { IncidentKind } from "./incident.ts";

/** Maximum number of targets. */
export const TARGETS_MAX = 20;

/** Kinds of targets. */
export const TARGET_KINDS = ["webhook", "slack", "email"] as const;

/** A kind of target. */
export type TargetKind = (typeof TARGET_KINDS)[number];

/** Encryption of a connection to a mail server. */
export const MAIL_SECURITIES = ["tls", "starttls", "none"] as const;

/** A mail server and the letters to it. */
export interface MailRoute {
  readonly host: string;
  readonly port: number;
  /** `tls`: from the first byte; `starttls`: required before anything is said. */
  readonly security: (typeof MAIL_SECURITIES)[number];
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  readonly from: string;
  readonly to: readonly string[];
}

/** The place of a target, with its secrets. */
export type TargetPlace =
  | { readonly kind: "webhook"; readonly url: string; readonly secret: string }
  | { readonly kind: "slack"; readonly url: string }
  | { readonly kind: "email"; readonly mail: MailRoute };

/** A target of notifications. */
export interface NoticeTarget {
  /** `tgt_…`. */
  readonly id: string;
  readonly name: string;
  readonly place: TargetPlace;
  /** Kinds of incidents that it receives. @default {all} */
  readonly kinds?: readonly IncidentKind[] | undefined;
  readonly createdAtMs: number;
}

/** Returns a target's address without what could be a secret: of a URL only its origin. */
export function shownPlace({ place }: NoticeTarget): string {
  return place.kind === "email" ? shownMail(place.mail) : shownUrl(place.url);
}

/** Returns the origin of a URL: its path may be a secret. */
export function shownUrl(url: string): string {
  return URL.parse(url)?.origin ?? "";
}

/** Returns the receivers and the server of e-mail. */
export function shownMail({ to, host }: Pick<MailRoute, "to" | "host">): string {
  return `${to.join(", ")} by ${host}`;
}

/** True when a target receives a kind of incident. */
export function wants({ kinds }: NoticeTarget, kind: IncidentKind): boolean {
  return kinds === undefined || kinds.includes(kind);
}
