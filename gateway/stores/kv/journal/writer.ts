import { setImmediate } from "node:timers";
import type { TrailDraft } from "../../../domain/operators/trail.ts";
import { StoreError } from "../../../ports/store_error.ts";
import type { AttemptedCommit, StoreHealth } from "../../../ports/stores.ts";
import type { Books } from "./books.ts";
import { Chain } from "../chain.ts";
import {
  atomicOf,
  type CommitAttempt,
  type DurableEnd,
  foldAttempt,
  giveUp,
  landingOf,
  rowAttempt,
} from "../commits/attempt.ts";
import { OpenCommits } from "../commits/open_commits.ts";
import { DOUBT_RETRY_MS, DOUBT_TRIES, MAX_OPEN_COMMITS, MAX_QUEUED_OPERATIONS } from "../limits.ts";
import type { Row } from "../rows.ts";
import type { Line, PlacedLines } from "../segment.ts";
import { decide, type Operation, reject } from "./operation.ts";
import { Stage } from "./stage.ts";

const LOST = "Cannot write to the store: another process has taken it over";
const LANDED =
  "Cannot write to the store: a commit that was given up has landed, or another process has " +
  "taken it over; start the service again";
const BROKEN = "Cannot write to the store: a bug has stopped its writer";
const GONE =
  "Cannot write to the store: its file was deleted, replaced or emptied while it was open; put it " +
  "back, or stop the service and restore a backup";
/** Interval of checks that the store's file is in place, in milliseconds. */
const CHECK_MS = 1_000;
const UNCHANGED = "Cannot write to the store: nothing has changed";

/**
 * The only writer of a store. While a commit is in progress, operations queue; then all waiting
 * ones are decided in order and go into one atomic commit, so that the disk cost hardly depends on
 * their number.
 *
 * Every commit checks the fence: a writer whose store another process has taken over can no longer
 * write. A commit of a few lines writes them in one small row; after some of these, one commit
 * folds them into segments and replaces head and fence.
 */
export class Writer {
  readonly books: Books;
  /** Called after each durable commit. */
  onCommit: () => void = () => {};
  /**
   * Called with the lines that a commit added to the request log, once durable, and with the lines
   * of the segments that it stored.
   */
  onLogged: (lines: readonly Line[], placed: readonly PlacedLines[]) => void = () => {};
  /** Called when the store's file is gone. */
  onGone: (message: string) => void = () => {};
  /** Called with damaged rows that background work met. */
  onDamage: (error: unknown) => void = () => {};
  readonly #onTried: ((commit: AttemptedCommit) => void) | undefined;
  readonly #isInPlace: () => Promise<boolean>;
  #checkedAtMs = -Infinity;
  #isGone = false;
  readonly #kv: Deno.Kv;
  readonly #maxOpenCommits: number;
  #end: DurableEnd;
  #queue: Operation[][] = [];
  #queued = 0;
  /** Number of operations of the last commit; `Infinity` when the last step made none. */
  #committed = Infinity;
  #turn: Operation[] = [];
  #draining: Promise<void> | undefined;
  #doubt: CommitAttempt | undefined;
  /** True when another process took over while the last commit was in doubt. */
  #isLostInDoubt = false;
  /** The stage whose commit is being prepared or in progress. */
  #stage: Stage | undefined;
  /** Reason for refusing new operations. */
  #stopped: string | undefined;
  #health: StoreHealth = "ok";

  /** `onTried` is called after each attempted commit. */
  constructor(
    kv: Deno.Kv,
    options: {
      readonly books: Books;
      readonly end: DurableEnd;
      readonly onTried?: ((commit: AttemptedCommit) => void) | undefined;
      /** Returns true while the store's file is where it was opened. @default {always true} */
      readonly isInPlace?: (() => Promise<boolean>) | undefined;
      /** Number of commits between two folds; 0 makes every commit fold. @default {64} */
      readonly maxOpenCommits?: number | undefined;
    },
  ) {
    this.#kv = kv;
    this.#onTried = options.onTried;
    this.#isInPlace = options.isInPlace ?? (() => Promise.resolve(true));
    this.books = options.books;
    this.#end = options.end;
    this.#maxOpenCommits = options.maxOpenCommits ?? MAX_OPEN_COMMITS;
  }

  /** Number of operations that wait for the next commit. */
  get queued(): number {
    return this.#queued;
  }

  /** State of the writer. Closing does not change it. */
  get health(): StoreHealth {
    return this.#isGone && this.#health === "ok" ? "failing" : this.#health;
  }

  /** Checks that the store's file is in place, at most once a second. */
  async isGone(): Promise<boolean> {
    if (performance.now() - this.#checkedAtMs < CHECK_MS) return this.#isGone;
    this.#checkedAtMs = performance.now();
    const isGone = !await this.#isInPlace();
    if (isGone && !this.#isGone) this.onGone(GONE);
    return this.#isGone = isGone;
  }

  /** The durable journal. */
  get journal(): Chain {
    return new Chain("journal", this.#end.head.value.journal, this.#end.open.journal);
  }

  /** Versionstamp of the last durable commit: rows with a later one have changed since. */
  get versionstamp(): string {
    return this.#end.versionstamp;
  }

  /** The durable request log. */
  get log(): Chain {
    return new Chain("log", this.#end.head.value.log, this.#end.open.log);
  }

  /** The commits since the last fold. */
  get open(): OpenCommits {
    return this.#end.open;
  }

  /** Queues an operation. All that wait when a commit begins share it. */
  enqueue(operation: Operation): void {
    if (this.#stopped !== undefined) return operation.reject(this.#untried(this.#stopped));
    if (this.#queued >= MAX_QUEUED_OPERATIONS) {
      const waiting = `${this.#queued} operations wait already`;
      return operation.reject(this.#untried(`Cannot write to the store: ${waiting}`));
    }
    this.#queued++;
    this.#turn.push(operation);
    if (this.#turn.length > 1) return;
    queueMicrotask(() => {
      this.#queue.push(this.#turn);
      this.#turn = [];
      this.#draining ??= this.#drain();
    });
  }

  /** Queues a decision; resolves to its result once that is durable. */
  submit<T>(decide: (stage: Stage) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.enqueue({
        run: (stage) => {
          const value = decide(stage);
          stage.answer({ resolve: () => resolve(value), reject });
        },
        reject,
      });
    });
  }

  /** Sets and deletes rows, with an entry of the audit log; resolves once durable. */
  write(rows: readonly Row[], entry?: TrailDraft): Promise<void> {
    return this.submit((stage) => {
      for (const row of rows) stage.write(row);
      if (entry !== undefined) stage.note(entry);
    });
  }

  /** Folds; resolves to the result of `take`, which is called when no commit is open. */
  fold<T>(take: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.enqueue({
        run: (stage) => {
          stage.fold();
          stage.answer({ resolve: () => resolve(take()), reject });
        },
        reject,
      });
    });
  }

  /**
   * Returns the result of `take` with every line in a stored segment, whose hash later segments
   * contain; while nothing can be written, as it is.
   */
  async sealed<T>(take: () => T): Promise<T> {
    try {
      return await this.fold(take);
    } catch (error) {
      if (error instanceof StoreError) return take();
      throw error;
    }
  }

  /** Refuses new operations and resolves after the waiting ones. */
  async close(): Promise<void> {
    // Set first: operations that still come in must not be tried after the store is released.
    this.#stopped ??= "Cannot write to the store: it is closed";
    // One turn for operations whose microtask has not run yet.
    await Promise.resolve();
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // While fewer wait than half of the last commit's, the rest of this turn joins the commit:
      // otherwise the first of many concurrent callers would get its own commit every other time.
      if (2 * this.#queued < this.#committed) {
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
      // Without a commit, the next step waits: callers that retry must not stop the event loop.
      this.#committed = Infinity;
      try {
        await this.#step();
      } catch (bug) {
        this.#break(bug instanceof Error ? bug : new Error(String(bug), { cause: bug }));
      }
    }
    this.#draining = undefined;
  }

  async #step(): Promise<void> {
    const isGone = await this.isGone();
    const ready = this.#doubt === undefined || await this.#clearDoubt();
    if (this.#health === "lost") this.#rejectAll(this.#untried(this.#stopped ?? this.#lost));
    // A file without a name is lost with the process.
    else if (isGone) this.#rejectAll(this.#untried(GONE));
    else if (!ready) {
      this.#rejectAll(this.#untried("Cannot tell whether the last commit has landed"));
    } else await this.#commit(this.#takeStage());
  }

  #takeStage(): Stage {
    const stage = this.#stage = new Stage(this.books, this.#end.open);
    let turns = 0;
    while (turns < this.#queue.length && !stage.full) {
      const turn = this.#queue[turns] ?? [];
      let count = 0;
      while (count < turn.length && !stage.bursting) {
        const operation = turn[count++];
        if (operation !== undefined) decide(operation, stage);
      }
      this.#queued -= count;
      if (count < turn.length) {
        this.#queue[turns] = turn.slice(count);
        break;
      }
      turns++;
    }
    this.#queue.splice(0, turns);
    return stage;
  }

  async #commit(stage: Stage): Promise<void> {
    const { open } = this.#end;
    if (stage.empty && !(stage.isFold && open.count > 0)) {
      for (const answer of stage.answers) answer.resolve();
      return;
    }
    const isRow = !stage.isFold && this.#end.givenUp === undefined &&
      open.hasRoom(stage, this.#maxOpenCommits);
    const attempt = isRow ? rowAttempt(stage, this.#end) : foldAttempt(stage, this.#end);
    // Also while the commit is in doubt, when its operations are answered.
    this.books.keep(stage);
    let result: Deno.KvCommitResult | Deno.KvCommitError;
    try {
      result = await this.#timed(atomicOf(this.#kv, attempt), stage);
    } catch (cause) {
      this.#health = "failing";
      this.#doubt = attempt;
      return await this.#resolveFailure(stage, cause);
    }
    if (result.ok) return this.#adopt(attempt, result.versionstamp);
    this.#loseFence();
    reject(stage, new StoreError(this.#lost));
  }

  async #timed(
    atomic: Deno.AtomicOperation,
    { answers: { length: operations } }: Stage,
  ): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    if (this.#onTried === undefined) return await atomic.commit();
    const startedMs = performance.now();
    let ok = false;
    try {
      const result = await atomic.commit();
      ok = result.ok;
      return result;
    } finally {
      this.#onTried({ ms: performance.now() - startedMs, operations, ok });
    }
  }

  async #resolveFailure(stage: Stage, cause: unknown): Promise<void> {
    let isKnown = await this.#clearDoubt();
    for (let tries = 1; !isKnown && tries < DOUBT_TRIES; tries++) {
      await new Promise((resolve) => setTimeout(resolve, DOUBT_RETRY_MS));
      isKnown = await this.#clearDoubt();
    }
    if (stage.answers.length === 0) return;
    const unknown =
      "Cannot write to the store: it is not known yet whether the last commit has landed";
    const message = this.#health === "lost" ? this.#lost : isKnown ? UNCHANGED : unknown;
    const inDoubt = !isKnown || this.#isLostInDoubt;
    reject(stage, new StoreError(message, { cause, inDoubt }));
  }

  /**
   * Finds out whether the commit in doubt has landed. Returns false when the store is unreadable:
   * nothing can be decided until it is readable.
   */
  async #clearDoubt(): Promise<boolean> {
    const doubt = this.#doubt;
    if (doubt === undefined) return true;
    let landing: Awaited<ReturnType<typeof landingOf>>;
    try {
      landing = await landingOf(this.#kv, doubt, this.#end);
    } catch {
      // The commit's own error says why; it is checked again before the next commit.
      return false;
    }
    this.#doubt = undefined;
    if (landing === "lost") {
      this.#isLostInDoubt = true;
      this.#loseFence();
    } else if (landing === undefined) {
      this.books.release(doubt.stage);
      this.#end = giveUp(this.#end, doubt);
    } else this.#adopt(doubt, landing.versionstamp);
    return true;
  }

  #adopt({ stage, head, row, placed }: CommitAttempt, versionstamp: string): void {
    const { open, slots } = this.#end;
    const { books } = this;
    if (row !== undefined) {
      // Their rows stay as they were: they are in memory until a fold.
      books.keep(open.noteChanged(stage, books));
      open.add({ ...row, journal: stage.journal, log: stage.log });
      slots.set(row.slot, versionstamp);
      this.#end = { ...this.#end, versionstamp };
    } else if (head !== undefined) {
      const folded = { head: { value: head, versionstamp }, open: new OpenCommits() };
      this.#end = { ...folded, slots, versionstamp };
    }
    this.#health = "ok";
    this.#committed = stage.answers.length;
    stage.publish();
    books.release(stage);
    if (row === undefined) books.release(open.changed);
    if (stage.log.length + placed.length > 0) this.onLogged(stage.log, placed);
    // Removed, so that a commit that landed late does not complete them twice.
    for (const answer of stage.answers.splice(0)) answer.resolve();
    this.onCommit();
  }

  /** Returns the failure of a change that was not tried: an earlier commit may be in doubt. */
  #untried(message: string): StoreError {
    const inDoubt = this.#doubt !== undefined || this.#isLostInDoubt;
    return new StoreError(message, { inDoubt, untried: true });
  }

  #loseFence(): void {
    this.#health = "lost";
    this.#stopped = this.#lost;
  }

  /** Why a commit finds the store changed. */
  get #lost(): string {
    return this.#end.givenUp === undefined ? LOST : LANDED;
  }

  /**
   * Stops the writer after a bug: memory may differ from the durable state, so nothing more is
   * decided on it.
   */
  #break(bug: Error): void {
    this.#health = "lost";
    this.#stopped = BROKEN;
    if (this.#stage !== undefined) reject(this.#stage, bug);
    this.#rejectAll(bug);
  }

  #rejectAll(error: Error): void {
    const turns = this.#queue.splice(0);
    for (const turn of turns) {
      this.#queued -= turn.length;
      for (const operation of turn) operation.reject(error);
    }
  }
}
