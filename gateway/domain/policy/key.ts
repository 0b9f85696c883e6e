/**
 * Records of API keys; the secret itself is never stored.
 *
 * @module
 */

import type { KeyPolicy } from "./policy.ts";

/** `active` keys serve; `disabled` ones can be enabled again; `revoked` ones never. */
export type KeyStatus = "active" | "disabled" | "revoked";

/**
 * Id that the ledger and the request log have in place of a key's where an audit called a model. No
 * stored key has it, so no caller can use it.
 */
export const AUDIT_KEY_ID = "audit";
/** Name that operators see in place of {@linkcode AUDIT_KEY_ID}. */
export const AUDIT_KEY_NAME = "Audits";

/** The stored record of an API key. */
export interface KeyRecord {
  /** `key_…`, public. */
  readonly id: string;
  /** Name chosen by the operator. */
  readonly name: string;
  readonly walletId: string;
  readonly status: KeyStatus;
  readonly policy: KeyPolicy;
  /** First characters of the key, enough to recognise it. */
  readonly hint: string;
  readonly createdAtMs: number;
  /** Time of the last use, at most a minute old. */
  readonly lastUsedAtMs?: number | undefined;
  /** True when prompts and answers are logged with the key's requests. @default {false} */
  readonly logContent?: boolean | undefined;
  /** Id of the key that this one replaced in a rotation. */
  readonly rotatedFrom?: string | undefined;
  /** Id of the first key of its rotation line: they share its budget. @default {id} */
  readonly budgetId?: string | undefined;
}

/** A key's status, or that its time is over. */
export type KeyState = KeyStatus | "expired";

/** Every state, in the order in which they are worth a look. */
export const KEY_STATES = ["active", "disabled", "expired", "revoked"] as const;

/** Returns the state of a key. */
export function stateOf(
  key: { readonly status: KeyStatus; readonly policy: Pick<KeyPolicy, "expiresAt"> },
  nowMs: number,
): KeyState {
  return key.status === "revoked" || !hasExpired(key, nowMs) ? key.status : "expired";
}

/** True when a key can authenticate now. A malformed expiry counts as past. */
export function serves(record: KeyRecord, nowMs: number): boolean {
  return record.status === "active" && !hasExpired(record, nowMs);
}

/**
 * True when a key can authenticate or could be enabled again: it is neither revoked nor expired.
 */
export function mayServe(record: KeyRecord, nowMs: number): boolean {
  return record.status !== "revoked" && !hasExpired(record, nowMs);
}

/** True when a key has expired. This is final, since a policy can only be narrowed. */
export function hasExpired(
  { policy: { expiresAt } }: { readonly policy: Pick<KeyPolicy, "expiresAt"> },
  nowMs: number,
): boolean {
  // A malformed time is NaN and compares false.
  return expiresAt !== undefined && !(nowMs < Date.parse(expiresAt));
}
