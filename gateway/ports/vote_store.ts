/** A vote on one request. */
export interface Vote {
  /** Id of the log row of the request, `log_…`. */
  readonly logId: string;
  readonly walletId: string;
  /** Id of the key that voted. */
  readonly keyId: string;
  /** Name of what voted, chosen by the caller: with `logId` it identifies the vote. */
  readonly source: string;
  /** 0 (bad) to 1 (good). */
  readonly score: number;
  readonly comment?: string | undefined;
  /** Unix time in milliseconds. */
  readonly atMs: number;
  /** The voted call: its model, its task, and its difficulty beside a typical one. */
  readonly model: string;
  readonly task: string;
  readonly load: number;
}

/** The end of a vote, see `VoteStore.put`. */
export type VoteEnd = "stored" | "repeated" | "conflict" | "full";

/** A store of votes. */
export interface VoteStore {
  /**
   * Stores a vote; resolves once it is durable. `repeated`: the same vote is stored already;
   * `conflict`: the source has voted on this request with another score; `full`: `SOURCES_MAX` other
   * sources have voted on it. None of these stores anything.
   */
  put(vote: Vote): Promise<VoteEnd>;
  /** Returns the votes on a request, oldest first. */
  of(logId: string): Promise<readonly Vote[]>;
  /**
   * Returns votes in the order in which they were stored, after a cursor. Votes that no snapshot
   * includes yet are read again at the start.
   */
  since(
    cursor: string | undefined,
    limit: number,
  ): Promise<{ readonly votes: readonly Vote[]; readonly cursor?: string | undefined }>;
  /** Deletes votes that are older than a time; resolves to their number. */
  sweep(beforeMs: number): Promise<number>;
}
