/** Statistics that the tests of learning and routing vary. */

import type { Additions } from "./additions.ts";
import { EMPTY_SNAPSHOT, nextSnapshot, type RoutingSnapshot } from "./snapshot.ts";
import { OUTCOME_SOURCES, type OutcomeSource } from "./statistics.ts";

/** Outcomes of one model at one task. */
export interface Outcomes {
  readonly model: string;
  readonly count: number;
  /** 0 (bad) to 1 (good). */
  readonly score: number;
  readonly task?: string;
  readonly walletId?: string;
  readonly source?: OutcomeSource;
  readonly weight?: number;
  /** @default {1} */
  readonly load?: number;
}

/** Adds outcomes. */
export function addOutcomes(additions: Additions, ...groups: readonly Outcomes[]): Additions {
  for (const { count, ...group } of groups) {
    for (let at = 0; at < count; at++) {
      additions.noteOutcome({
        ...{ walletId: "w", task: "t", source: "feedback", weight: 1, load: 1, atMs: 1 },
        ...group,
      });
    }
  }
  return additions;
}

/** Returns the snapshot of what was collected, with a quality of 0.5 for every model. */
export function snapshotOf(
  additions: Additions,
  previous: RoutingSnapshot = EMPTY_SNAPSHOT,
  nowMs = 1,
): RoutingSnapshot {
  const context = { nowMs, qualityOf: () => 0.5, sources: OUTCOME_SOURCES };
  return nextSnapshot(previous, additions.byWallet(), context);
}
