/**
 * API keys as records; the secret itself is never stored.
 *
 * @module
 */

import type { KeyPolicy } from "./policy.ts";

/** `active` keys serve; `disabled` ones can be enabled again; `revoked` ones never. */
export type KeyStatus = "active" | "disabled" | "revoked";

/** What is kept of an API key. */
export interface KeyRecord {
  /** `key_…`, public. */
  readonly id: string;
  /** The operator's name for it. */
  readonly name: string;
  readonly walletId: string;
  readonly status: KeyStatus;
  readonly policy: KeyPolicy;
  /** First characters of the key, enough to recognise it by. */
  readonly hint: string;
  readonly createdAtMs: number;
  /** Kept to the minute, and behind by at most that. */
  readonly lastUsedAtMs?: number | undefined;
  /** Whether what its callers and models say is kept with its requests. @default {false} */
  readonly logContent?: boolean | undefined;
  /** The key this one replaces, where it came from a rotation. */
  readonly rotatedFrom?: string | undefined;
  /** The first key of a line of rotated ones: they share its budget. @default {id} */
  readonly budgetId?: string | undefined;
}

/** Whether a key is let in now. An expiry that cannot be read has passed. */
export function serves(record: KeyRecord, nowMs: number): boolean {
  return record.status === "active" && !hasExpired(record, nowMs);
}

/** Whether a key serves or can be made to serve again: not one that is revoked or has expired. */
export function mayServe(record: KeyRecord, nowMs: number): boolean {
  return record.status !== "revoked" && !hasExpired(record, nowMs);
}

/** Whether a key's time is over: for good, since a policy can only be narrowed. */
export function hasExpired(
  { policy: { expiresAt } }: Pick<KeyRecord, "policy">,
  nowMs: number,
): boolean {
  // An unreadable time is NaN and compares false.
  return expiresAt !== undefined && !(nowMs < Date.parse(expiresAt));
}
