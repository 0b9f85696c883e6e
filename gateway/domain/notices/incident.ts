/**
 * Incidents of which operators are notified: a condition, its beginning and its end.
 *
 * @module
 */

/** Kinds of incidents, each with the type that receivers of webhooks see. */
export const INCIDENT_TYPES = {
  wallet_low: "wallet.low",
  key_budget_80: "key.budget_80",
  key_budget_100: "key.budget_100",
  key_expiring: "key.expiring",
  upstream_down: "upstream.down",
  upstream_refused: "upstream.credentials_refused",
  ledger_check_failed: "ledger.check_failed",
  backup_failed: "backup.failed",
} as const;

/** A kind of incident. */
export type IncidentKind = keyof typeof INCIDENT_TYPES;

/** Every kind, in the order in which they are listed. */
export const INCIDENT_KINDS = Object.keys(INCIDENT_TYPES).filter(isIncidentKind);

/** True for the name of a kind. */
export function isIncidentKind(name: string): name is IncidentKind {
  return Object.hasOwn(INCIDENT_TYPES, name);
}

/** A condition that holds now. While it does, it is one incident. */
export interface Condition {
  readonly kind: IncidentKind;
  /** Id of the wallet, key or upstream; empty where there is only one. */
  readonly subject: string;
  /** Tells several conditions of one subject apart, as the window of a budget. @default {""} */
  readonly part?: string | undefined;
  /** One sentence for people. */
  readonly text: string;
  /** Facts for programs. Never a secret, never a word of a request. */
  readonly facts: Readonly<Record<string, string>>;
}

/** A condition with its beginning, and its end where that has come. */
export interface Incident extends Condition {
  /** `inc_…`, in the order in which they began. */
  readonly id: string;
  readonly beganAtMs: number;
  readonly endedAtMs?: number | undefined;
  /** One sentence about the end. */
  readonly endText?: string | undefined;
  /** Ids of the targets that receive the beginning, and so the end. */
  readonly targets: readonly string[];
  /** Id of the instance that found it. */
  readonly by: string;
}

/** Returns the name of a condition: incidents under one name follow each other. */
export function conditionKey({ kind, subject, part = "" }: Condition): string {
  return JSON.stringify([kind, subject, part]);
}
