/** A response that is kept, with what was asked for. */
export interface StoredResponse {
  /** Never seen before: chosen by the service, or by the upstream that answered. */
  readonly id: string;
  /** Wallet of the key that asked: only its keys find the response. */
  readonly ownerId: string;
  /** Unix time in milliseconds; from then on it is gone. */
  readonly expiresAtMs: number;
  /** JSON text of the resource, as the caller got it. */
  readonly resource: string;
  /** JSON texts of the items of its request, oldest first, each with an `id`. */
  readonly input: readonly string[];
  /** The response it continues. */
  readonly previousId?: string | undefined;
  /** Ids of the items of its request and of its output, by which it is found too. */
  readonly itemIds: readonly string[];
  /**
   * What a model is to read of its searches where no text of it stands for them, by the ids of their
   * items: it is given to whoever continues it.
   */
  readonly found?: Readonly<Record<string, string>> | undefined;
  /** Id of the upstream that keeps it under the same id; absent where only we do. */
  readonly upstreamId?: string | undefined;
}

/** Lets so many bytes into memory, now or later; rejects or throws where it does not. */
export type Admit = (bytes: number) => Promise<void> | undefined;

/** Responses that may be asked for again, and continued. */
export interface ResponseStore {
  /**
   * Keeps a response; resolves once it is durable. False, and nothing is kept, where the room that
   * all responses share is used up by those that have not expired: an owner may keep as much as is
   * still free, so that nobody's responses take the room of all others'.
   */
  put(response: StoredResponse): Promise<boolean>;
  /** A response of this owner that has not expired. `admit` is told its bytes before it is read. */
  get(ownerId: string, id: string, admit?: Admit): Promise<StoredResponse | undefined>;
  /** The response of this owner, not expired, that has an item of this id; the last one put. */
  withItem(ownerId: string, itemId: string): Promise<StoredResponse | undefined>;
  /** Forgets a response; false where this owner has none of the name. */
  delete(ownerId: string, id: string): Promise<boolean>;
  /** Deletes what has expired; resolves to the number of responses. */
  sweep(): Promise<number>;
}
