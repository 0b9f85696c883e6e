/** A file that is stored until it expires. */
export interface StoredBlob {
  /** Chosen by the code that stores it; never used before. */
  readonly id: string;
  readonly mediaType: string;
  readonly bytes: Uint8Array;
  /** Expiry, in Unix milliseconds. */
  readonly expiresAtMs: number;
}

/** Files behind signed links. */
export interface BlobStore {
  /**
   * Stores a file; resolves once it is durable. Returns false, and stores nothing, if files that
   * have not expired use up the space of all files.
   */
  put(blob: StoredBlob): Promise<boolean>;
  /** Returns a file that is stored and has not expired. */
  get(id: string): Promise<StoredBlob | undefined>;
  /** Deletes files that have expired; resolves to their number. */
  sweep(): Promise<number>;
}
