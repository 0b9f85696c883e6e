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
  /** The key this one replaces, where it came from a rotation. */
  readonly rotatedFrom?: string | undefined;
  /** The first key of a line of rotated ones: they share its budget. @default {id} */
  readonly budgetId?: string | undefined;
}
