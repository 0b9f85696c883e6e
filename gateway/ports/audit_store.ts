import type { Micros } from "../domain/ledger/money.ts";

/** An audit in the accounts of a day. */
export interface AuditCost {
  /** Id of the audit. */
  readonly id: string;
  /** UTC day on which the audit began, such as `2026-11-23`: its cost counts for that day. */
  readonly day: string;
}

/**
 * The cost of audits per UTC day, for their daily budget. An audit reserves its maximum cost before
 * it spends anything: audits that run at the same time never exceed the budget together, and one
 * that was killed counts with its reservation until the day is over.
 */
export interface AuditStore {
  /** Returns the cost of a day: settled audits, and the reservations of all others. */
  spentOn(day: string): Promise<Micros>;
  /**
   * Reserves the smaller of `amount` and the rest of the day's budget; returns it once it is durable.
   * Returns 0, and stores nothing, if nothing is left. Returns the first reservation if the id is
   * known.
   */
  reserve(
    audit: AuditCost & { readonly amount: Micros; readonly budget: Micros },
  ): Promise<Micros>;
  /**
   * Replaces the reservation of an audit by its cost; resolves once it is durable. Safe to repeat.
   * Does nothing for an audit without a reservation.
   */
  settle(audit: AuditCost & { readonly cost: Micros }): Promise<void>;
}
