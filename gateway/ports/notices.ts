import type { Attempted, Delivery } from "../domain/notices/delivery.ts";
import type { Incident, IncidentKind } from "../domain/notices/incident.ts";
import type { MailRoute, NoticeTarget } from "../domain/notices/target.ts";
import type { Noted } from "../domain/operators/trail.ts";
import type { DeliveryQuery, NoticePage, NoticePageQuery } from "./notice_store.ts";

/** A target as an operator asks for it. */
export interface NewTarget {
  readonly name: string;
  readonly kinds?: readonly IncidentKind[] | undefined;
  readonly place:
    | { readonly kind: "webhook"; readonly url: string }
    | { readonly kind: "slack"; readonly url: string }
    | { readonly kind: "email"; readonly mail: MailRoute };
}

/** A new target, or why there is none: a sentence, and the field that it is about. */
export type TargetAdded =
  | { readonly ok: true; readonly target: NoticeTarget }
  | { readonly ok: false; readonly problem: string; readonly param?: string | undefined };

/** A delivery that is sent again, or one sentence about why it is not. */
export type Retried =
  | { readonly ok: true; readonly delivery: Delivery }
  | { readonly ok: false; readonly problem: string };

/** Notifications as an operator manages them. */
export interface Notices {
  targets(): Promise<readonly NoticeTarget[]>;
  /** Adds a target; makes the secret of a webhook, which is not shown again. */
  add(target: NewTarget, options?: Noted<NoticeTarget>): Promise<TargetAdded>;
  /** Returns false if there is no such target. */
  remove(id: string, options?: Noted<NoticeTarget>): Promise<boolean>;
  /** Sends a message to a target at once, past the outbox; `undefined` if there is no such target. */
  test(id: string): Promise<Attempted | undefined>;
  incidents(query: NoticePageQuery): Promise<NoticePage<Incident>>;
  deliveries(query: DeliveryQuery): Promise<NoticePage<Delivery>>;
  /**
   * Sends a delivery that was given up again, unless a later message of its incident has arrived;
   * `undefined` if there is no such delivery.
   */
  retry(id: string, options?: Noted<Delivery>): Promise<Retried | undefined>;
  /**
   * Notes how a backup ended; a problem is an incident until the next one without. Resolves when that
   * is durable; rejects where the store fails, and is noted later all the same.
   */
  noteBackup(problem: string | undefined): Promise<void>;
}
