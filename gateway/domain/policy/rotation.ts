/**
 * Replacing a key as the specification has it (5.6): which steps there are, and which one is next.
 *
 * @module
 */

import type { KeyRecord } from "./key.ts";

/** The six steps, in their order. */
export const ROTATION_STEPS = ["copy", "store", "verify", "confirm", "disable", "revoke"] as const;

/** One of them. */
export type RotationStep = (typeof ROTATION_STEPS)[number];

/** A key that was used within this time is taken to be in use, in milliseconds: an hour. */
const IN_USE_MS = 60 * 60 * 1_000;

/** What is known of a rotation: nothing but keys and the request log, so it can be left at any time. */
export interface RotationState {
  readonly old: Pick<KeyRecord, "status">;
  /** The copy that replaces it; absent before the first step. */
  readonly copy?: Pick<KeyRecord, "id"> | undefined;
  /** Whether the log has a call of the copy that went well. */
  readonly isVerified: boolean;
}

/**
 * The step that is next; `done` where the old key has ended. A call of the copy that went well shows
 * that it was stored, that it works and that the log has it: until then the next step is to store it.
 */
export function nextStep({ old, copy, isVerified }: RotationState): RotationStep | "done" {
  if (old.status === "revoked") return "done";
  if (copy === undefined) return "copy";
  if (!isVerified) return "store";
  return old.status === "active" ? "disable" : "revoke";
}

/** Whether whoever uses a key would be cut off by its end: it was called since, or shortly before. */
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
