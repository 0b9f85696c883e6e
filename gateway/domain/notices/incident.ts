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

/** True for a kind that has as many incidents as there are wallets or keys. */
export function isCountless(kind: IncidentKind): boolean {
  return kind === "wallet_low" || kind.startsWith("key_");
}

/** True for a kind that each instance judges by what it sees itself. */
export function isByInstance(kind: IncidentKind): boolean {
  return kind === "upstream_down" || kind === "upstream_refused";
}

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
  /**
   * Times at which instances last saw it, by their ids, where each judges by itself.
   *
   * @default {the beginning, by the one that found it}
   */
  readonly sights?: Readonly<Record<string, number>> | undefined;
}

/** Age of a sight, in milliseconds, beyond which its instance counts as gone. */
const SIGHT_MS = 5 * 60_000;

/** An instance that sees an incident, or no longer does. */
export interface Sight {
  readonly instance: string;
  readonly nowMs: number;
  readonly isSeen: boolean;
}

/** Returns the times at which instances last saw an incident. */
export function sightsOf({ sights, by, beganAtMs }: Incident): Readonly<Record<string, number>> {
  return sights ?? { [by]: beganAtMs };
}

/** Returns an incident with what an instance sees; instances that are gone are left out. */
export function withSight(incident: Incident, { instance, nowMs, isSeen }: Sight): Incident {
  const others = sightsOfOthers(incident, { instance, nowMs });
  return { ...incident, sights: { ...others, ...(isSeen ? { [instance]: nowMs } : {}) } };
}

/** True when other instances see an incident. */
export function isSeenByOthers(
  incident: Incident,
  here: Pick<Sight, "instance" | "nowMs">,
): boolean {
  return Object.keys(sightsOfOthers(incident, here)).length > 0;
}

function sightsOfOthers(
  incident: Incident,
  { instance, nowMs }: Pick<Sight, "instance" | "nowMs">,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(sightsOf(incident))
      .filter(([id, atMs]) => id !== instance && nowMs - atMs <= SIGHT_MS),
  );
}

/** Returns the name of a condition: incidents under one name follow each other. */
export function conditionKey({ kind, subject, part = "" }: Condition): string {
  return JSON.stringify([kind, subject, part]);
}
