import type {
  StoredTrailEntry,
  TrailDraft,
  TrailEntry,
  TrailFilter,
  TrailHead,
} from "../domain/operators/trail.ts";

/** A page of the audit log, newest first. */
export interface TrailPage {
  readonly entries: readonly TrailEntry[];
  /** Place from which the next page goes back; absent on the last. */
  readonly before?: number | undefined;
}

/**
 * The audit log of the admin side. Entries are never changed or deleted; each contains the hash of
 * the one before it.
 */
export interface TrailStore {
  /** Appends an entry; resolves once it is durable. */
  append(entry: TrailDraft): Promise<TrailEntry>;
  /**
   * Returns the entries that meet the criteria, newest first, from the place below `before`. A search
   * that finds few may stop before the page is full.
   */
  page(
    query: TrailFilter & { readonly limit: number; readonly before?: number | undefined },
  ): Promise<TrailPage>;
  /** Returns entries as they are stored, from a place on, oldest first. */
  read(from: number, limit: number): Promise<readonly StoredTrailEntry[]>;
  /** Returns the end of the chain. */
  head(): Promise<TrailHead>;
}
