/** The instance that a ledger works for. */
export interface Member {
  /** Id of its present session, which each batch names: the batches of an ended one are refused. */
  readonly id: string;
  /**
   * Joins again, with a new id, after another instance has ended `id`.
   *
   * @default {changes are refused from then on}
   */
  renew?(id: string): Promise<void>;
}
