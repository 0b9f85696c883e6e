import { setImmediate } from "node:timers";
import { StoreError } from "../../../ports/store_error.ts";
import type { Books } from "./books.ts";
import { DOUBT_RETRY_MS, DOUBT_TRIES, MAX_QUEUED_OPERATIONS } from "../limits.ts";
import { type Head, HEAD_KEY, type Row } from "../rows.ts";
import { appendLines, type PlacedLines } from "../segment.ts";
import type { Tail } from "../rows.ts";
import { Stage } from "./stage.ts";

/** A change that waits for its commit. */
export interface Operation {
  /** Decides, against the stage, what to change and what to answer. */
  run(stage: Stage): void;
  /** Called instead where no commit can be tried. */
  reject(error: Error): void;
}

/** A commit that was tried. */
export interface TriedCommit {
  readonly ms: number;
  /** Answers that waited for it. */
  readonly operations: number;
  readonly ok: boolean;
}

/** The head as it stands in the store. */
export interface DurableHead {
  readonly value: Head;
  readonly versionstamp: string;
}

/** What a commit writes; one that threw may have landed all the same. */
interface Tried {
  readonly stage: Stage;
  readonly head: Head;
  readonly logged: readonly PlacedLines[];
}

/**
 * How a writer is. `failing`: the last commit threw, as where the disk is full; the next one that
 * succeeds ends it. `lost`: nothing can be written any more, since another process has taken the store
 * over or a bug has stopped the writer; only a new start helps.
 */
export type WriterHealth = "ok" | "failing" | "lost";

const LOST = "Cannot write to the store: another process has taken it over";
const BROKEN = "Cannot write to the store: a bug has stopped its writer";
const GONE =
  "Cannot write to the store: its file was deleted, replaced or emptied while it was open; put it " +
  "back, or stop the service and restore a backup";
/** Interval of looking for the store's file in its place, in milliseconds. */
const LOOK_MS = 1_000;
const UNCHANGED = "Cannot write to the store: nothing has changed";

/**
 * The one writer of a store. While a commit is under way operations queue; then all that wait are
 * decided in order and go into one atomic commit, so that their number hardly matters to the disk.
 *
 * Every commit checks and replaces the head row: a writer whose head was replaced by another process
 * can write no more.
 */
export class Writer {
  readonly books: Books;
  /** Called after each durable commit. */
  onCommit: () => void = () => {};
  /** Called with what a commit has added to the request log, once that is durable. */
  onLogged: (logged: readonly PlacedLines[]) => void = () => {};
  /** Called when the store's file is found to be gone. */
  onGone: (message: string) => void = () => {};
  /** Called with what was met of damaged rows by work that nobody waits for. */
  onDamage: (error: unknown) => void = () => {};
  readonly #onTried: ((commit: TriedCommit) => void) | undefined;
  readonly #isInPlace: () => Promise<boolean>;
  #lookedAtMs = -Infinity;
  #isGone = false;
  readonly #kv: Deno.Kv;
  #head: DurableHead;
  #attempts: number;
  #queue: Operation[][] = [];
  #queued = 0;
  #turn: Operation[] = [];
  #draining: Promise<void> | undefined;
  #doubt: Tried | undefined;
  /** The store was taken over before it could be told whether the last commit had landed. */
  #isLostInDoubt = false;
  /** The stage whose commit is being made or is under way. */
  #stage: Stage | undefined;
  /** Why no new operation is taken. */
  #stopped: string | undefined;
  #health: WriterHealth = "ok";

  /** `onTried` is called after each commit that was tried. */
  constructor(
    kv: Deno.Kv,
    options: {
      readonly books: Books;
      readonly head: DurableHead;
      readonly onTried?: ((commit: TriedCommit) => void) | undefined;
      /** True while the store's file is where it was opened. @default {it is} */
      readonly isInPlace?: (() => Promise<boolean>) | undefined;
    },
  ) {
    this.#kv = kv;
    this.#onTried = options.onTried;
    this.#isInPlace = options.isInPlace ?? (() => Promise.resolve(true));
    this.books = options.books;
    this.#head = options.head;
    this.#attempts = options.head.value.commit;
  }

  /** Operations that wait for the next commit. */
  get queued(): number {
    return this.#queued;
  }

  /** How the writer is. One that was closed stays as it was. */
  get health(): WriterHealth {
    return this.#isGone && this.#health === "ok" ? "failing" : this.#health;
  }

  /** Looks whether the store's file is in its place, at most once a second. */
  async isGone(): Promise<boolean> {
    if (performance.now() - this.#lookedAtMs < LOOK_MS) return this.#isGone;
    this.#lookedAtMs = performance.now();
    const isGone = !await this.#isInPlace();
    if (isGone && !this.#isGone) this.onGone(GONE);
    return this.#isGone = isGone;
  }

  /** Where the durable journal ends. */
  get journal(): Tail {
    return this.#head.value.journal;
  }

  /** Versionstamp of the last durable commit: rows with a later one have changed since. */
  get versionstamp(): string {
    return this.#head.versionstamp;
  }

  /** Where the durable request log ends. */
  get log(): Tail {
    return this.#head.value.log;
  }

  /** Queues an operation. Those of one turn of the event loop go into one commit. */
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

  /** Queues a decision; resolves to what it returns once that is durable. */
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

  /** Sets and deletes rows; resolves once durable. */
  write(rows: readonly Row[]): Promise<void> {
    return this.submit((stage) => {
      for (const row of rows) stage.write(row);
    });
  }

  /** Refuses new operations and resolves when those that wait are done. */
  async close(): Promise<void> {
    // First of all: what still came in meanwhile would be tried after the store is given back.
    this.#stopped ??= "Cannot write to the store: it is closed";
    // One turn for the operations whose microtask has not run yet.
    await Promise.resolve();
    await this.#draining;
  }

  async #drain(): Promise<void> {
    while (this.#queue.length > 0) {
      // Whatever else this turn of the event loop brings joins the commit: without this, the first
      // of many concurrent callers would have a commit for itself every other time.
      await new Promise<void>((resolve) => setImmediate(resolve));
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
    if (this.#health === "lost") this.#rejectAll(this.#untried(this.#stopped ?? LOST));
    // A file without a name is lost with the process.
    else if (isGone) this.#rejectAll(this.#untried(GONE));
    else if (!ready) {
      this.#rejectAll(this.#untried("Cannot tell whether the last commit has landed"));
    } else await this.#commit(this.#takeStage());
  }

  #takeStage(): Stage {
    const stage = this.#stage = new Stage(this.books);
    let turns = 0;
    while (turns < this.#queue.length && !stage.full) {
      const turn = this.#queue[turns] ?? [];
      let done = 0;
      while (done < turn.length && !stage.bursting) {
        const operation = turn[done++];
        if (operation !== undefined) decide(operation, stage);
      }
      this.#queued -= done;
      if (done < turn.length) {
        this.#queue[turns] = turn.slice(done);
        break;
      }
      turns++;
    }
    this.#queue.splice(0, turns);
    return stage;
  }

  async #commit(stage: Stage): Promise<void> {
    if (stage.empty) {
      for (const answer of stage.answers) answer.resolve();
      return;
    }
    const { value, versionstamp } = this.#head;
    const journal = appendLines(value.journal, stage.journal, "journal");
    const log = appendLines(value.log, stage.log, "log");
    const commit = ++this.#attempts;
    const head: Head = { ...value, commit, journal: journal.tail, log: log.tail };
    let result: Deno.KvCommitResult | Deno.KvCommitError;
    try {
      const atomic = this.#kv.atomic().check({ key: HEAD_KEY, versionstamp }).set(HEAD_KEY, head);
      for (const row of [...stage.rows(), ...journal.rows, ...log.rows]) {
        if (row.value === undefined) atomic.delete(row.key);
        else atomic.set(row.key, row.value);
      }
      result = await this.#timed(atomic, stage);
    } catch (cause) {
      this.#health = "failing";
      this.#doubt = { stage, head, logged: log.placed };
      return await this.#resolveFailure(stage, cause);
    }
    if (result.ok) {
      const { versionstamp } = result;
      return this.#adopt({ stage, head, logged: log.placed }, versionstamp);
    }
    this.#loseFence();
    reject(stage, new StoreError(LOST));
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
    let known = await this.#clearDoubt();
    for (let tries = 1; !known && tries < DOUBT_TRIES; tries++) {
      await new Promise((resolve) => setTimeout(resolve, DOUBT_RETRY_MS));
      known = await this.#clearDoubt();
    }
    if (stage.answers.length === 0) return;
    const unknown = "Cannot write to the store: whether it has landed is not known yet";
    const message = this.#health === "lost" ? LOST : known ? UNCHANGED : unknown;
    const inDoubt = !known || this.#isLostInDoubt;
    reject(stage, new StoreError(message, { cause, inDoubt }));
  }

  /**
   * Finds out whether the commit in doubt has landed. Returns false where the store cannot be read:
   * then nothing can be decided either, until it can.
   */
  async #clearDoubt(): Promise<boolean> {
    const doubt = this.#doubt;
    if (doubt === undefined) return true;
    let found: Deno.KvEntryMaybe<Head>;
    try {
      found = await this.#kv.get<Head>(HEAD_KEY);
    } catch {
      // The commit's own error says why; it is asked again before the next commit.
      return false;
    }
    this.#doubt = undefined;
    if (found.versionstamp === this.#head.versionstamp) return true;
    const { value, versionstamp } = found;
    const ours = value?.session === doubt.head.session && value.commit === doubt.head.commit;
    if (ours && versionstamp !== null) {
      this.#adopt(doubt, versionstamp);
    } else {
      this.#isLostInDoubt = true;
      this.#loseFence();
    }
    return true;
  }

  #adopt({ stage, head, logged }: Tried, versionstamp: string): void {
    this.#head = { value: head, versionstamp };
    this.#health = "ok";
    stage.publish();
    if (logged.length > 0) this.onLogged(logged);
    // Taken out, so that a commit that landed late does not answer twice.
    for (const answer of stage.answers.splice(0)) answer.resolve();
    this.onCommit();
  }

  /** The failure of a change that was not tried: an earlier one may be in doubt. */
  #untried(message: string): StoreError {
    const inDoubt = this.#doubt !== undefined || this.#isLostInDoubt;
    return new StoreError(message, { inDoubt, untried: true });
  }

  #loseFence(): void {
    this.#health = "lost";
    this.#stopped = LOST;
  }

  /** What is in memory may not be what is durable: nothing more is decided on it. */
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

function decide(operation: Operation, stage: Stage): void {
  try {
    operation.run(stage);
  } catch (error) {
    operation.reject(error instanceof Error ? error : new Error(String(error), { cause: error }));
  }
}

function reject(stage: Stage, error: Error): void {
  for (const answer of stage.answers.splice(0)) answer.reject(error);
}
