/**
 * Removes statistics: of all wallets, of one, or of one task.
 *
 * @module
 */

import { type RoutingSnapshot, type SnapshotContext, walletSnapshot } from "./snapshot.ts";
import type { WalletStatistics } from "./statistics.ts";

/** The statistics to remove. */
export interface ForgetScope {
  /** @default {all wallets} */
  readonly walletId?: string | undefined;
  /** Fingerprint of a task. @default {all tasks} */
  readonly task?: string | undefined;
}

/** The snapshot after a removal. */
export interface Forgotten {
  /** The next snapshot; the previous one where there was nothing to remove. */
  readonly snapshot: RoutingSnapshot;
  /** Ids of the wallets that lost statistics. */
  readonly wallets: readonly string[];
  /** Number of tasks removed. */
  readonly tasks: number;
}

/** Returns the next snapshot: the previous one without the statistics of a scope. */
export function forget(
  previous: RoutingSnapshot,
  { walletId, task }: ForgetScope,
  context: SnapshotContext,
): Forgotten {
  const wallets = new Map(previous.wallets);
  const changed: string[] = [];
  let tasks = 0;
  for (const [id, { statistics, decayedAtMs }] of previous.wallets) {
    if (walletId !== undefined && id !== walletId) continue;
    if (task === undefined) {
      wallets.delete(id);
      tasks += Object.keys(statistics.tasks).length;
    } else if (task in statistics.tasks) {
      const rest = walletSnapshot(withoutTask(statistics, task), context);
      wallets.set(id, { ...rest, decayedAtMs });
      tasks++;
    } else continue;
    changed.push(id);
  }
  if (changed.length === 0) return { snapshot: previous, wallets: [], tasks: 0 };
  const snapshot = {
    ...previous,
    number: previous.number + 1,
    takenAtMs: context.nowMs,
    wallets,
  };
  return { snapshot, wallets: changed, tasks };
}

/** Returns statistics without those of one task. */
export function withoutTask(statistics: WalletStatistics, task: string): WalletStatistics {
  const { [task]: _, ...tasks } = statistics.tasks;
  return {
    tasks,
    samples: statistics.samples.filter((sample) => sample.task !== task),
    audits: statistics.audits.filter((audit) => audit.task !== task),
  };
}
