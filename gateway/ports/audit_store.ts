import type { Micros } from "../domain/ledger/money.ts";

/** The cost of audits per UTC day, for their daily budget. */
export interface AuditStore {
  /** Returns the cost of a day, such as `2026-11-23`. */
  spentOn(day: string): Promise<Micros>;
  /** Adds a cost to a day; resolves once it is durable. Safe to repeat under the same id. */
  add(audit: { readonly id: string; readonly day: string; readonly cost: Micros }): Promise<void>;
}
