/**
 * Rotation of a key according to the specification (5.6): its steps and their order.
 *
 * @module
 */

import type { KeyRecord } from "./key.ts";

/** The six steps, in order. */
export const ROTATION_STEPS = ["copy", "store", "verify", "confirm", "disable", "revoke"] as const;

export type RotationStep = (typeof ROTATION_STEPS)[number];

/** Time since its last use in which a key counts as in use, in milliseconds. */
const IN_USE_MS = 60 * 60 * 1_000;

/**
 * The state of a rotation, derived from keys and the request log only, so that it can be
 * interrupted at any time.
 */
export interface RotationState {
  readonly old: Pick<KeyRecord, "status">;
  /** The copy that replaces the key; absent before the first step. */
  readonly copy?: Pick<KeyRecord, "id"> | undefined;
  /** True when the log has a successful call of the copy. */
  readonly isVerified: boolean;
}

/**
 * Returns the next step; `done` when the old key has ended. A successful call of the copy proves
 * that it was stored, works and is logged: until then the next step is to store it.
 */
export function nextStep({ old, copy, isVerified }: RotationState): RotationStep | "done" {
  if (old.status === "revoked") return "done";
  if (copy === undefined) return "copy";
  if (!isVerified) return "store";
  return old.status === "active" ? "disable" : "revoke";
}

/**
 * True when ending a key would interrupt its users: it was called since the given time, or shortly
 * before.
 */
export function isInUse(
  uses: {
    readonly requests: number;
    readonly sinceMs: number;
    readonly lastUsedMs?: number | undefined;
  },
): boolean {
  const { requests, sinceMs, lastUsedMs } = uses;
  return requests > 0 || (lastUsedMs !== undefined && sinceMs - lastUsedMs < IN_USE_MS);
}
