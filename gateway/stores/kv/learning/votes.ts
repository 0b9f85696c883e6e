import { SOURCES_MAX } from "../../../domain/requests/feedback.ts";
import type { PlacedVote } from "../../../ports/store_copying.ts";
import type { Vote, VoteEnd, VoteStore } from "../../../ports/vote_store.ts";
import { eachRow } from "../each_row.ts";
import type { Writer } from "../journal/writer.ts";
import { Mutex } from "../mutex.ts";
import { read } from "../read.ts";
import { jsonRow, keyPart, type Row, textOf } from "../rows.ts";

/** Votes by position, in the order in which they were stored. */
const VOTE: Deno.KvKey = ["routing_vote"];
/** Score and position by request and source: one vote each. */
const VOTED: Deno.KvKey = ["routing_voted"];
/** Last position before the last sweep, which may have deleted all votes. */
const LAST: Deno.KvKey = ["routing_vote_last"];
/** Votes that are deleted in one commit. */
const SWEEP_BATCH = 100;

/** The row that makes a vote unique. */
interface Voted {
  readonly position: number;
  readonly score: number;
}

/** Votes in Deno KV. Positions grow by one and are never used again, so that a cursor is one. */
export class KvVoteStore implements VoteStore {
  readonly #kv: Deno.Kv;
  readonly #writer: Writer;
  readonly #sweeping = new Mutex();
  /** The vote that is being stored, by request: the next one on it waits for it. */
  readonly #storing = new Map<string, Promise<unknown>>();
  /** The last position; absent until it is read. */
  #last: number | undefined;

  constructor(kv: Deno.Kv, writer: Writer) {
    this.#kv = kv;
    this.#writer = writer;
  }

  async put(vote: Vote): Promise<VoteEnd> {
    const name = vote.logId;
    const before = this.#storing.get(name);
    const storing = (before?.catch(() => {}) ?? Promise.resolve()).then(() => this.#store(vote));
    this.#storing.set(name, storing);
    try {
      return await storing;
    } finally {
      if (this.#storing.get(name) === storing) this.#storing.delete(name);
    }
  }

  async of(logId: string): Promise<readonly Vote[]> {
    const rows = this.#kv.list<Uint8Array>({ prefix: [...VOTED, keyPart(logId)] });
    const positions = (await read(Array.fromAsync(rows)))
      .map(({ value }) => parsed<Voted>(value).position).sort((one, other) => one - other);
    const votes: Vote[] = [];
    for (const position of positions) {
      const { value } = await read(this.#kv.get<Uint8Array>([...VOTE, position]));
      if (value !== null) votes.push(parsed<Vote>(value));
    }
    return votes;
  }

  async since(
    cursor: string | undefined,
    limit: number,
  ): Promise<{ readonly votes: readonly Vote[]; readonly cursor?: string | undefined }> {
    const start = [...VOTE, Number(cursor ?? 0) + 1];
    const rows = await this.#rows({ prefix: VOTE, start }, limit);
    const last = rows.at(-1)?.key[1];
    return {
      votes: rows.map(({ value }) => parsed<Vote>(value)),
      cursor: last === undefined ? cursor : String(last),
    };
  }

  sweep(beforeMs: number): Promise<number> {
    return this.#sweeping.run(async () => {
      let swept = 0;
      for (;;) {
        const rows = await this.#rows({ prefix: VOTE }, SWEEP_BATCH);
        const until = rows.findIndex(({ value }) => parsed<Vote>(value).atMs >= beforeMs);
        const old = until < 0 ? rows : rows.slice(0, until);
        if (old.length > 0) await this.#delete(old);
        swept += old.length;
        if (old.length < SWEEP_BATCH) return swept;
      }
    });
  }

  /** Yields all votes, and the last position. */
  async *placed(): AsyncGenerator<PlacedVote> {
    for await (const { key, value } of eachRow<Uint8Array>(this.#kv, { prefix: VOTE })) {
      yield { position: Number(key[1]), vote: parsed<Vote>(value) };
    }
    yield { position: await this.#readLast() };
  }

  /** Stores votes at their positions. Nothing else may store any meanwhile. */
  async putPlaced(votes: readonly PlacedVote[]): Promise<void> {
    const rows = votes.flatMap(({ position, vote }) => {
      if (vote === undefined) return [jsonRow(LAST, position)];
      const voted: Voted = { position, score: vote.score };
      return [jsonRow(votedKey(vote), voted), jsonRow([...VOTE, position], vote)];
    });
    await this.#writer.write(rows);
    this.#last = undefined;
  }

  async #store(vote: Vote): Promise<VoteEnd> {
    const key = votedKey(vote);
    const { value } = await read(this.#kv.get<Uint8Array>(key));
    if (value !== null) {
      return parsed<Voted>(value).score === vote.score ? "repeated" : "conflict";
    }
    const others = await this.#rows({ prefix: key.slice(0, -1) }, SOURCES_MAX);
    if (others.length === SOURCES_MAX) return "full";
    const last = this.#last ?? await this.#readLast();
    // Another vote may have read it meanwhile. From here to the write nothing waits, so that votes
    // become durable in the order of their positions.
    const position = this.#last = Math.max(last, this.#last ?? 0) + 1;
    const voted: Voted = { position, score: vote.score };
    await this.#writer.write([jsonRow(key, voted), jsonRow([...VOTE, position], vote)]);
    return "stored";
  }

  async #readLast(): Promise<number> {
    const { value } = await read(this.#kv.get<Uint8Array>(LAST));
    const rows = this.#kv.list({ prefix: VOTE }, { limit: 1, reverse: true });
    const [newest] = await read(Array.fromAsync(rows));
    return Math.max(value === null ? 0 : parsed<number>(value), Number(newest?.key[1] ?? 0));
  }

  async #rows(
    selector: Deno.KvListSelector,
    limit: number,
  ): Promise<readonly Deno.KvEntry<Uint8Array>[]> {
    return await read(Array.fromAsync(this.#kv.list<Uint8Array>(selector, { limit })));
  }

  async #delete(rows: readonly Deno.KvEntry<Uint8Array>[]): Promise<void> {
    const last = this.#last ?? await this.#readLast();
    const changes: Row[] = rows.flatMap(({ key, value }) => [
      { key, bytes: 0 },
      { key: votedKey(parsed<Vote>(value)), bytes: 0 },
    ]);
    await this.#writer.write([...changes, jsonRow(LAST, Math.max(last, this.#last ?? 0))]);
  }
}

function votedKey({ logId, source }: Vote): Deno.KvKey {
  return [...VOTED, keyPart(logId), keyPart(source)];
}

function parsed<Value>(value: Uint8Array): Value {
  return JSON.parse(textOf(value)) as Value;
}
