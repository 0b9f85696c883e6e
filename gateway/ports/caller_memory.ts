/** Kinds of entries that follow a caller from instance to instance. */
export type MemoryKind = "signature" | "search" | "conversation";

/** The name of an entry; it contains the id of the key that the entry was made for. */
export interface MemoryName {
  readonly kind: MemoryKind;
  readonly id: string;
}

/** Maximum sum of the sizes of all entries of a kind; the oldest are dropped first. */
export const MEMORY_CAPACITY: Readonly<Record<MemoryKind, number>> = {
  /** Bytes. */
  signature: 16 * 1024 * 1024,
  /** Characters. */
  search: 16 * 1024 * 1024,
  /** Conversations. */
  conversation: 20_000,
};

/**
 * A memory for callers between two requests, shared by all instances. An instance writes behind, and reads
 * what a request needs and the instance does not have.
 */
export interface CallerMemory {
  /** Stores an entry soon, in place of an earlier one of its name. Never fails. */
  note(name: MemoryName, entry: { readonly text: string; readonly size: number }): void;
  /**
   * Resolves once everything that was noted before can be read by other instances, or after a short
   * time if the store does not take it. Never rejects.
   */
  written(): Promise<void>;
  /** Returns the texts of the entries that are stored, by kind and id. */
  read(names: readonly MemoryName[]): Promise<readonly (MemoryName & { readonly text: string })[]>;
}
