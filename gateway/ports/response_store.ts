/** A stored response, with its request. */
export interface StoredResponse {
  /** Chosen by the service or by the upstream that answered; never used before. */
  readonly id: string;
  /** Wallet of the key that made the request: only its keys can read the response. */
  readonly ownerId: string;
  /** Expiry, in Unix milliseconds. */
  readonly expiresAtMs: number;
  /** JSON text of the resource as the caller received it. */
  readonly resource: string;
  /** JSON texts of the items of its request, oldest first, each with an `id`. */
  readonly input: readonly string[];
  /** Id of the response that it continues. */
  readonly previousId?: string | undefined;
  /** Ids of the items of its request and of its output, by which it can be read too. */
  readonly itemIds: readonly string[];
  /**
   * Results of its searches that no text of it cites, by the ids of their items: a model reads them
   * when the response is continued. The name is that in stored rows.
   */
  readonly ["found"]?: Readonly<Record<string, string>> | undefined;
  /** Id of the upstream that stores it under the same id; absent if only the service does. */
  readonly upstreamId?: string | undefined;
}

/** Admits bytes into memory, at once or after a wait; rejects or throws if it refuses. */
export type Admit = (bytes: number) => Promise<void> | undefined;

/** A store of responses that can be read again and continued. */
export interface ResponseStore {
  /**
   * Stores a response; resolves once it is durable. Returns false, and stores nothing, if responses
   * that have not expired use up the space: an owner may use as much as is still free, so no owner
   * takes the space of all others.
   */
  put(response: StoredResponse): Promise<boolean>;
  /**
   * Returns a response of this owner that has not expired. `admit` receives its size in bytes
   * before it is read.
   */
  get(ownerId: string, id: string, admit?: Admit): Promise<StoredResponse | undefined>;
  /**
   * Returns the response of this owner, not expired, that has an item of this id; the last one
   * stored.
   */
  withItem(ownerId: string, itemId: string): Promise<StoredResponse | undefined>;
  /** Deletes a response; returns false if this owner has none of this id. */
  delete(ownerId: string, id: string): Promise<boolean>;
  /** Deletes expired responses; resolves to their number. */
  sweep(): Promise<number>;
}
