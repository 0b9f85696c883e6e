/**
 * Deno KV as far as the gateway uses it, on a simulated disk: commits wait until the simulation
 * decides their end, and a killed process leaves what its commits made durable.
 *
 * @module
 */

/** A row to set, or to delete if it has no value. */
export interface Mutation {
  readonly key: Deno.KvKey;
  readonly value?: unknown;
}

/**
 * The end of a commit. `locked` and `full`: it throws, and nothing has changed. `unacknowledged`:
 * it throws, and has landed. `forgotten`: it succeeds and has not landed, which no disk may do; the
 * tests of the simulation plant it.
 */
export type CommitEnd = "ok" | "locked" | "full" | "unacknowledged" | "forgotten";

const FAILURES: Readonly<Record<Exclude<CommitEnd, "ok" | "forgotten">, string>> = {
  locked: "database is locked",
  full: "database or disk is full",
  unacknowledged: "disk I/O error",
};

interface StoredRow {
  readonly key: Deno.KvKey;
  readonly value: unknown;
  readonly versionstamp: string;
}

interface WaitingCommit {
  readonly land: () => Deno.KvCommitResult | Deno.KvCommitError;
  readonly resolve: (result: Deno.KvCommitResult | Deno.KvCommitError) => void;
  readonly reject: (error: Error) => void;
}

/** The data that outlives a process. */
export class Disk {
  readonly #rows = new Map<string, StoredRow>();
  #commits = 0;
  /** Called with the changes of each commit. */
  onLanding: (mutations: readonly Mutation[]) => void = () => {};

  /** Returns the row of a key. */
  get(key: Deno.KvKey): StoredRow | undefined {
    return this.#rows.get(textOf(key));
  }

  /** Returns rows between two key texts, in order. */
  range(from: string, to: string): StoredRow[] {
    const rows = [...this.#rows].filter(([text]) => text >= from && text < to);
    return rows.sort(([a], [b]) => a < b ? -1 : 1).map(([, row]) => row);
  }

  /** Writes everything, or nothing if a check fails. */
  write(
    checks: readonly Deno.AtomicCheck[],
    mutations: readonly Mutation[],
  ): Deno.KvCommitResult | Deno.KvCommitError {
    for (const { key, versionstamp } of checks) {
      if ((this.get(key)?.versionstamp ?? null) !== versionstamp) return { ok: false };
    }
    const versionstamp = String(++this.#commits).padStart(20, "0");
    for (const { key, value } of mutations) {
      if (value === undefined) this.#rows.delete(textOf(key));
      else this.#rows.set(textOf(key), { key, value, versionstamp });
    }
    this.onLanding(mutations);
    return { ok: true, versionstamp };
  }
}

/** The handle of one process on a disk. */
export class SimulatedKv implements Deno.Kv {
  /** Number of reads that will fail. */
  failingReads = 0;
  /** Called if a commit is tried after the handle was closed. */
  onLateCommit: () => void = () => {};
  readonly #disk: Disk;
  readonly #waiting: WaitingCommit[] = [];
  #state: "open" | "closed" | "dead" = "open";

  constructor(disk: Disk) {
    this.#disk = disk;
  }

  /** Number of commits that wait for their end. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Ends the oldest commit. */
  end(how: CommitEnd): void {
    const commit = this.#waiting.shift();
    if (commit === undefined) return;
    if (how === "forgotten") return commit.resolve({ ok: true, versionstamp: "0" });
    if (how === "ok") return commit.resolve(commit.land());
    if (how === "unacknowledged") commit.land();
    commit.reject(new Error(FAILURES[how]));
  }

  /** Kills the process: a waiting commit has landed or not, and no call is answered any more. */
  kill(landed: boolean): void {
    this.#state = "dead";
    for (const commit of this.#waiting.splice(0)) if (landed) commit.land();
  }

  async get<T = unknown>(key: Deno.KvKey): Promise<Deno.KvEntryMaybe<T>> {
    await this.#reading();
    return this.#entry<T>(key);
  }

  async getMany<T extends readonly unknown[]>(
    keys: readonly [...{ [K in keyof T]: Deno.KvKey }],
  ): Promise<{ [K in keyof T]: Deno.KvEntryMaybe<T[K]> }> {
    await this.#reading();
    return keys.map((key) => this.#entry(key)) as { [K in keyof T]: Deno.KvEntryMaybe<T[K]> };
  }

  list<T = unknown>(
    selector: Deno.KvListSelector,
    options: Deno.KvListOptions = {},
  ): Deno.KvListIterator<T> {
    const [from, to] = rangeOf(selector);
    const read = async () => {
      await this.#reading();
      const rows = this.#disk.range(from, to);
      if (options.reverse === true) rows.reverse();
      return rows.slice(0, options.limit).map((row) => structuredClone(row) as Deno.KvEntry<T>);
    };
    return new RowIterator(read);
  }

  atomic(): Deno.AtomicOperation {
    return new SimulatedAtomic((checks, mutations) => this.#commit(checks, mutations));
  }

  async set(key: Deno.KvKey, value: unknown): Promise<Deno.KvCommitResult> {
    const result = await this.#commit([], [{ key, value: structuredClone(value) }]);
    if (!result.ok) throw new Error("A commit without checks was refused");
    return result;
  }

  async delete(key: Deno.KvKey): Promise<void> {
    await this.#commit([], [{ key }]);
  }

  close(): void {
    if (this.#state === "open") this.#state = "closed";
  }

  enqueue(): never {
    throw new Error("The simulated store has no queues");
  }

  listenQueue(): never {
    throw new Error("The simulated store has no queues");
  }

  watch(): never {
    throw new Error("The simulated store cannot be watched");
  }

  commitVersionstamp(): never {
    throw new Error("The simulated store has no versionstamps in keys");
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #entry<T>(key: Deno.KvKey): Deno.KvEntryMaybe<T> {
    const row = this.#disk.get(key);
    if (row === undefined) return { key, value: null, versionstamp: null };
    return structuredClone(row) as Deno.KvEntry<T>;
  }

  /** Passes, fails, or never ends in a dead process. */
  #reading(): Promise<void> {
    if (this.#state === "dead") return new Promise(() => {});
    if (this.#state === "closed") return Promise.reject(new Error("Bad resource ID"));
    if (this.failingReads === 0) return Promise.resolve();
    this.failingReads--;
    return Promise.reject(new Error("disk I/O error"));
  }

  #commit(
    checks: readonly Deno.AtomicCheck[],
    mutations: readonly Mutation[],
  ): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    return new Promise((resolve, reject) => {
      if (this.#state === "dead") return;
      if (this.#state === "closed") {
        this.onLateCommit();
        return reject(new Error("Bad resource ID"));
      }
      this.#waiting.push({ land: () => this.#disk.write(checks, mutations), resolve, reject });
    });
  }
}

type Commit = (
  checks: readonly Deno.AtomicCheck[],
  mutations: readonly Mutation[],
) => Promise<Deno.KvCommitResult | Deno.KvCommitError>;

class SimulatedAtomic implements Deno.AtomicOperation {
  readonly #commit: Commit;
  readonly #checks: Deno.AtomicCheck[] = [];
  readonly #mutations: Mutation[] = [];

  constructor(commit: Commit) {
    this.#commit = commit;
  }

  check(...checks: Deno.AtomicCheck[]): this {
    this.#checks.push(...checks);
    return this;
  }

  set(key: Deno.KvKey, value: unknown): this {
    this.#mutations.push({ key, value: structuredClone(value) });
    return this;
  }

  delete(key: Deno.KvKey): this {
    this.#mutations.push({ key });
    return this;
  }

  commit(): Promise<Deno.KvCommitResult | Deno.KvCommitError> {
    return this.#commit(this.#checks, this.#mutations);
  }

  mutate(): never {
    throw new Error("Commits of the gateway check, set and delete only");
  }

  sum(): never {
    return this.mutate();
  }

  min(): never {
    return this.mutate();
  }

  max(): never {
    return this.mutate();
  }

  enqueue(): never {
    return this.mutate();
  }
}

class RowIterator<T> implements Deno.KvListIterator<T> {
  readonly #read: () => Promise<Deno.KvEntry<T>[]>;
  #rows: Iterator<Deno.KvEntry<T>, undefined> | undefined;

  constructor(read: () => Promise<Deno.KvEntry<T>[]>) {
    this.#read = read;
  }

  get cursor(): string {
    throw new Error("The simulated store has no cursors");
  }

  async next(): Promise<IteratorResult<Deno.KvEntry<T>, undefined>> {
    this.#rows ??= (await this.#read()).values();
    return this.#rows.next();
  }

  [Symbol.asyncIterator](): AsyncIterableIterator<Deno.KvEntry<T>> {
    return this;
  }
}

/** Returns a key as text that sorts as Deno KV sorts keys of ASCII strings and integers from 0. */
function textOf(key: Deno.KvKey): string {
  return key.map((part) => {
    if (typeof part === "string") return `s${part}\0`;
    if (typeof part === "number") return `t${String(part).padStart(16, "0")}\0`;
    throw new Error(`The simulated store takes no ${typeof part} in a key`);
  }).join("");
}

function rangeOf(selector: Deno.KvListSelector): [from: string, to: string] {
  const { prefix, start, end } = selector as {
    prefix?: Deno.KvKey;
    start?: Deno.KvKey;
    end?: Deno.KvKey;
  };
  const text = textOf(prefix ?? []);
  return [
    start === undefined ? text === "" ? "" : `${text}\x01` : textOf(start),
    end === undefined ? `${text}\uffff` : textOf(end),
  ];
}
