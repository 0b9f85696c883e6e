/**
 * The changes of all instances, as one instance hears of them: by notices over one connection, and
 * by asking over the same connection, so that a lost notice delays nothing beyond the next question.
 *
 * @module
 */

import type { Clock } from "../../../ports/clock.ts";
import { StoreError } from "../../../ports/store_error.ts";
import { connect, type Sql, storeError } from "../connection.ts";
import { type Change, CHANNEL, type Topic } from "./announce.ts";

/** Hears of changes. */
export interface Watcher {
  readonly topics: readonly Topic[];
  changed(change: Change): void;
  /** Hears that any number of changes are unknown: whatever is in memory may be old. */
  reset(): void;
  /**
   * Reads what has changed, if anything. Called after each answer of the database, never twice at
   * once, and again after a failure.
   */
  catchUp?(): Promise<void>;
}

/** Options of {@linkcode Changes.open}. */
export interface ChangesOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /** Hears of failures; each is tried again. @default {nothing hears} */
  readonly onError?: ((error: unknown) => void) | undefined;
  /** False where notices do not arrive, as behind a pooler of transactions. @default {true} */
  readonly listens?: boolean | undefined;
}

/** Time between two questions, in milliseconds. */
const POLL_MS = 400;
/** Time after which a question without an answer is given up, with its connection, in milliseconds. */
const POLL_LIMIT_MS = 2_000;
/**
 * Time after the beginning of the last answered question for which memory counts as current, in
 * milliseconds.
 */
const CURRENT_MS = 900;
/** Maximum number of changes in an answer; beyond it watchers forget all. */
const MAX_CHANGES = 1_000;
/** Questions between two deletions of old changes. */
const POLLS_PER_SWEEP = 150;
/** Age at which changes are deleted. */
const KEPT = "5 minutes";

/** A row of an answer: the last number, and a change if there are any. */
interface PollRow {
  readonly last: bigint;
  readonly listening: boolean;
  readonly number: bigint | null;
  readonly topic: Topic;
  readonly subject: string;
}

/** The changes of all instances. */
export class Changes {
  readonly #url: string;
  readonly #options: ChangesOptions;
  readonly #watchers = new Set<Watcher>();
  readonly #catchingUp = new Map<Watcher, Promise<void>>();
  readonly #ending = new Set<Promise<void>>();
  #client: Sql;
  /** Number of the last change that watchers have heard of. */
  #number: number | undefined;
  #currentAtMs = -Infinity;
  #polls = 0;
  #isNoticed = false;
  #wake = () => {};
  #isClosed = false;
  readonly #closed = Promise.withResolvers<never>();
  #running: Promise<void> = Promise.resolve();

  private constructor(url: string, options: ChangesOptions) {
    this.#url = url;
    this.#options = options;
    this.#client = this.#connected();
    // Nothing may be waiting for an answer when it is closed.
    this.#closed.promise.catch(() => {});
  }

  /** Connects, and asks for the first time. */
  static async open(url: string, options: ChangesOptions): Promise<Changes> {
    const changes = new Changes(url, options);
    try {
      await changes.#poll();
    } catch (cause) {
      await changes.close();
      throw storeError(cause);
    }
    changes.#running = changes.#run();
    return changes;
  }

  /** Number of the last change that watchers have heard of. */
  get number(): number {
    return this.#number ?? 0;
  }

  /**
   * True while watchers have heard of every change that was committed 900 ms ago or earlier. False
   * when the database has not answered since: then memory must not be used.
   */
  get isCurrent(): boolean {
    return this.#options.clock.monotonicMs() - this.#currentAtMs < CURRENT_MS;
  }

  /** Lets a watcher hear of every change from now on. */
  watch(watcher: Watcher): void {
    this.#watchers.add(watcher);
  }

  /** Stops asking, and closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#closed.reject(new StoreError("The store is closed"));
    this.#wake();
    this.#end();
    await this.#running;
    await Promise.all([...this.#catchingUp.values(), ...this.#ending]);
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      try {
        await this.#poll();
      } catch (error) {
        if (!this.#isClosed) this.#options.onError?.(error);
      }
      await this.#pause();
    }
  }

  /** Resolves at the next notice, or when it is time to ask. */
  async #pause(): Promise<void> {
    if (!this.#isNoticed && !this.#isClosed) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, POLL_MS);
      this.#wake = resolve;
      await promise;
      clearTimeout(timer);
    }
    this.#isNoticed = false;
  }

  async #poll(): Promise<void> {
    const atMs = this.#options.clock.monotonicMs();
    const rows = await this.#answer(this.#ask());
    this.#hear(rows);
    this.#currentAtMs = atMs;
    for (const watcher of this.#watchers) this.#catchUp(watcher);
    if (this.#options.listens !== false && rows[0]?.listening === false) {
      await this.#answer(this.#client.unsafe(`listen ${CHANNEL}`));
    }
    if (++this.#polls % POLLS_PER_SWEEP > 0) return;
    await this.#answer(this.#client`delete from change where at < now() - ${KEPT}::interval`);
  }

  /**
   * Waits for an answer, but not for ever: a connection may be dead without knowing it, and is then
   * replaced.
   */
  async #answer<T>(answer: Promise<T>): Promise<T> {
    const { promise: limit, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      this.#reconnect();
      reject(new StoreError(`The database has not answered for ${POLL_LIMIT_MS} ms`));
    }, POLL_LIMIT_MS);
    try {
      return await Promise.race([answer, limit, this.#closed.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #ask(): Promise<readonly PollRow[]> {
    return await this.#client<PollRow[]>`
      select last, exists (
        select from pg_listening_channels() as channel where channel = ${CHANNEL}
      ) as listening, number, topic, subject
      from change_head left join lateral (
        select number, topic, subject from change where number > ${this.#number ?? null}::bigint
        order by number limit ${MAX_CHANGES}
      ) as later on true
      order by number
    `;
  }

  /** Tells watchers what an answer says. */
  #hear(rows: readonly PollRow[]): void {
    const last = Number(rows[0]?.last ?? 0);
    const known = this.#number;
    this.#number = last;
    const changes = rows.flatMap(({ number, topic, subject }): Change[] =>
      number === null ? [] : [{ number: Number(number), topic, subject }]
    );
    // Old changes are deleted, and a database may be restored from an earlier day.
    if (known === undefined || last - known !== changes.length) {
      for (const watcher of this.#watchers) watcher.reset();
      return;
    }
    for (const change of changes) {
      for (const watcher of this.#watchers) {
        if (watcher.topics.includes(change.topic)) watcher.changed(change);
      }
    }
  }

  #catchUp(watcher: Watcher): void {
    if (watcher.catchUp === undefined || this.#catchingUp.has(watcher)) return;
    const work = watcher.catchUp()
      .catch((error) => this.#options.onError?.(error))
      .finally(() => this.#catchingUp.delete(watcher));
    this.#catchingUp.set(watcher, work);
  }

  #reconnect(): void {
    if (this.#isClosed) return;
    this.#end();
    this.#client = this.#connected();
  }

  #end(): void {
    const ending = this.#client.end({ timeout: 0 })
      .catch((error) => this.#options.onError?.(error))
      .finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #connected(): Sql {
    return connect(this.#url, {
      max: 1,
      onNotice: () => {
        this.#isNoticed = true;
        this.#wake();
      },
    });
  }
}
