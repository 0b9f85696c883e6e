import type { Row } from "./rows.ts";

/** Rows that change together: at most one commit. */
export interface MigrationBatch {
  readonly rows: readonly Row[];
  /** Progress of the work, in any unit. */
  readonly done: number;
  readonly total: number;
}

/** One step of the layout. */
export interface Migration {
  /** Version after the step; the version before is one less. */
  readonly to: number;
  /** Description for the operator: "split the log by day". */
  readonly what: string;
  /**
   * Yields the changes in order. After an interruption the whole step runs again: it must recognise
   * finished work, or produce the same result.
   */
  batches(kv: Deno.Kv): AsyncIterable<MigrationBatch>;
}
