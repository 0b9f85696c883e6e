/**
 * The changes of all instances, as one instance hears of them: by notices over one connection, and
 * by asking over the same connection, so that a lost notice delays nothing beyond the next question.
 *
 * @module
 */

import type { Clock } from "../../../ports/clock.ts";
import { connect, type Sql, storeError } from "../connection.ts";
import type { Link } from "../link.ts";
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
  /** False where notices do not arrive, for tests. @default {true} */
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
  readonly #options: ChangesOptions;
  /** One connection, which other work never keeps busy. */
  readonly #sql: Sql;
  readonly #watchers = new Set<Watcher>();
  readonly #catchingUp = new Map<Watcher, Promise<void>>();
  /** Number of the last change that watchers have heard of. */
  #number: number | undefined;
  #currentAtMs = -Infinity;
  #polls = 0;
  #isNoticed = false;
  #wake = () => {};
  #isClosed = false;
  #running: Promise<void> = Promise.resolve();

  private constructor(to: string | Link, options: ChangesOptions) {
    this.#options = options;
    this.#sql = connect(to, {
      max: 1,
      limitMs: POLL_LIMIT_MS,
      onNotice: () => {
        this.#isNoticed = true;
        this.#wake();
      },
    });
  }

  /** Connects, and asks for the first time. */
  static async open(to: string | Link, options: ChangesOptions): Promise<Changes> {
    const changes = new Changes(to, options);
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
    this.#wake();
    await this.#sql.end({ timeout: 0 });
    await this.#running;
    await Promise.all(this.#catchingUp.values());
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
    const rows = await this.#ask();
    this.#hear(rows);
    this.#currentAtMs = atMs;
    for (const watcher of this.#watchers) this.#catchUp(watcher);
    if (this.#options.listens !== false && rows[0]?.listening === false) {
      await this.#sql.unsafe(`listen ${CHANNEL}`);
    }
    if (++this.#polls % POLLS_PER_SWEEP > 0) return;
    await this.#sql`delete from change where at < now() - ${KEPT}::interval`;
  }

  async #ask(): Promise<readonly PollRow[]> {
    return await this.#sql<PollRow[]>`
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
}
