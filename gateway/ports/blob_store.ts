/** A file that is kept until it expires. */
export interface StoredBlob {
  /** Chosen by whoever stores it, never seen before. */
  readonly id: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Unix time in milliseconds; from then on it is gone. */
  readonly expiresAtMs: number;
}

/** Files that links lead to, for a while. */
export interface BlobStore {
  /**
   * Keeps a file; resolves once it is durable. False, and nothing is kept, where the room that all
   * files share is used up by files that have not expired.
   */
  put(blob: StoredBlob): Promise<boolean>;
  /** A file that is there and has not expired. */
  get(id: string): Promise<StoredBlob | undefined>;
  /** Deletes files that have expired; resolves to their number. */
  sweep(): Promise<number>;
}
