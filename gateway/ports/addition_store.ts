import type { WalletStatistics } from "../domain/learning/statistics.ts";

/** Statistics that one instance has collected, by wallet. */
export interface StoredAdditions {
  readonly id: string;
  readonly wallets: ReadonlyMap<string, WalletStatistics>;
}

/**
 * Statistics of all instances that no snapshot includes yet. One instance at a time, under a lease,
 * includes them in the next snapshot.
 */
export interface AdditionStore {
  /** Stores what an instance has collected; resolves once it is durable. A repeat changes nothing. */
  add(additions: StoredAdditions): Promise<void>;
  /** Returns those that no snapshot includes, oldest first. */
  waiting(limit: number): Promise<readonly StoredAdditions[]>;
  /**
   * Takes the lease if no other instance has it, or keeps it. True: this instance publishes, for some
   * seconds. A snapshot is refused if another instance was faster, so that nothing depends on time.
   */
  lead(): Promise<boolean>;
}
