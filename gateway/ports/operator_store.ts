import type { Operator } from "../domain/operators/operator.ts";
import type { TrailDraft } from "../domain/operators/trail.ts";

/** The operators with names. There are few: they are read as a whole. */
export interface OperatorStore {
  /** Returns all operators, in the order of their ids. */
  all(): Promise<readonly Operator[]>;
  /**
   * Stores an operator together with the entry of the audit log, in one commit. Returns false, and
   * stores nothing, unless the stored version is the one before that of `operator` (none for 1).
   */
  put(operator: Operator, entry: TrailDraft): Promise<boolean>;
}
