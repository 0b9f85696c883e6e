import { Buffer } from "node:buffer";
import type {
  EndedHold,
  Hold,
  JournalEntry,
  KeySpend,
  Wallet,
} from "../../../domain/ledger/ledger.ts";
import { operationOf } from "../../../domain/ledger/correction.ts";
import type { CreditRecord, LedgerChange, LedgerView } from "../../../domain/ledger/state.ts";
import { addToSum, type KilledRow, type RequestSum } from "../../../domain/requests/request_sum.ts";
import type {
  StoredTrailEntry,
  TrailDraft,
  TrailEntry,
  TrailHead,
} from "../../../domain/operators/trail.ts";
import { endAfter, linked } from "../../trail_chain.ts";
import type { Books, RowCounts } from "./books.ts";
import { encodeEntry } from "./journal_codec.ts";
import type { OpenCommits } from "../commits/open_commits.ts";
import { logLine } from "../log/log_line.ts";
import {
  FULL_COMMIT_BYTES,
  FULL_COMMIT_CHANGES,
  MAX_COMMIT_BYTES,
  MAX_COMMIT_CHANGES,
} from "../limits.ts";
import {
  bytesOf,
  COUNTS_KEY,
  jsonRow,
  keyPart,
  killedRowKey,
  type Row,
  TRAIL_ENTRIES,
  TRAIL_HEAD,
} from "../rows.ts";
import type { Line } from "../segment.ts";
import { namedBytes } from "./spend_bytes.ts";

/** Completion of an operation after its commit. */
export interface Answer {
  resolve(): void;
  reject(error: Error): void;
}

const OVERHEAD_BYTES = 256;

/**
 * Changes of the next commit on top of the durable ledger. Decisions read through it, so that each
 * sees the ones before; the changes reach the ledger only once they are durable.
 */
export class Stage implements LedgerView {
  readonly journal: Line[] = [];
  readonly log: Line[] = [];
  readonly answers: Answer[] = [];
  readonly #books: Books;
  readonly #wallets = new Map<string, Wallet>();
  readonly #spends = new Map<string, KeySpend>();
  readonly #opened = new Map<string, Hold>();
  readonly #ended = new Map<string, EndedHold>();
  readonly #credits = new Map<string, CreditRecord>();
  /** By log id, the sums of the rows for the case that the gateway dies; of removed ones `undefined`. */
  readonly #killedRows = new Map<string, RequestSum | undefined>();
  readonly #rows: Row[] = [];
  readonly #added = { wallets: 0, keys: 0 };
  /** End of the audit log, where entries are added to it. */
  #trail: TrailHead | undefined;
  #bytes: number;
  #changes: number;
  /** Size of the names of budgets in the rows that it changes. */
  #namedBytes = 0;
  #isFold = false;

  /** `open` are the commits that are written again if this one folds. */
  constructor(books: Books, open?: Pick<OpenCommits, "bytes" | "changes">) {
    this.#books = books;
    this.#bytes = open?.bytes ?? 0;
    this.#changes = open?.changes ?? 0;
  }

  wallet(id: string): Wallet | undefined {
    return this.#wallets.get(id) ?? this.#books.wallet(id);
  }

  spend(keyId: string): KeySpend | undefined {
    return this.#spends.get(keyId) ?? this.#books.spend(keyId);
  }

  hold(id: string): Hold | undefined {
    if (this.#ended.has(id)) return undefined;
    return this.#opened.get(id) ?? this.#books.hold(id);
  }

  ended(id: string): EndedHold | undefined {
    return this.#ended.get(id) ?? this.#books.ended(id);
  }

  credit(opId: string): CreditRecord | undefined {
    return this.#credits.get(opId) ?? this.#books.credit(opId);
  }

  /** Adds the change of a decision. */
  apply(change: LedgerChange): void {
    const { entry, wallet, spend, opened, ended } = change;
    if (wallet !== undefined) this.#wallets.set(wallet.id, wallet);
    if (spend !== undefined) this.#setSpend(spend);
    if (opened !== undefined) this.#opened.set(opened.id, opened);
    if (ended !== undefined) this.#ended.set(ended.hold.id, ended);
    const operation = operationOf(entry);
    if (operation !== undefined && "id" in entry) this.#credits.set(entry.id, operation);
    if (entry.op === "open") {
      this.countUp("wallets");
      // Lists read rows: a wallet has one from its first commit on.
      this.fold();
    }
    const text = encodeEntry(entry);
    const bytes = Buffer.byteLength(text);
    this.journal.push({ text, bytes, atMs: entry.at, id: "" });
    // Besides the line: the row of a wallet and of a key.
    this.#grow(bytes + 2 * OVERHEAD_BYTES, 3);
  }

  /** Appends a line to the request log. */
  appendLog(line: Line): void {
    this.log.push(line);
    this.#grow(line.bytes, 1);
    if (!this.owesRow(line.id)) return;
    this.#killedRows.set(line.id, undefined);
    this.write({ key: killedRowKey(line.id), bytes: 0 });
  }

  /** True when the request's own log row is still to come. */
  owesRow(id: string): boolean {
    return this.#settledSum(id) !== undefined;
  }

  /**
   * Stores the row that a request gets if the gateway dies before its own is appended. `entry`: the
   * entry that this commit adds to its sum.
   */
  keepKilledRow(row: KilledRow, entry?: JournalEntry): void {
    const sum = addToSum(this.#settledSum(row.id), entry);
    const { id, text, bytes } = logLine({ ...row, ...sum });
    this.#killedRows.set(id, sum);
    this.write({ key: killedRowKey(id), value: bytesOf(text), bytes });
  }

  /** Returns the sum of a row for the case that the gateway dies; `undefined` if none is stored. */
  #settledSum(id: string): RequestSum | undefined {
    const known = this.#killedRows.has(id) ? this.#killedRows : this.#books.killedRows;
    return known.get(id);
  }

  /** Sets or deletes a row. */
  write(row: Row): void {
    this.#rows.push(row);
    this.#grow(row.bytes + OVERHEAD_BYTES, 1);
  }

  /** Appends an entry to the audit log. */
  note(draft: TrailDraft): TrailEntry {
    const { entry, stored, head } = linked(this.#trail ?? this.#books.trail, draft);
    this.#writeEntries([stored], head);
    return entry;
  }

  /**
   * Appends entries to the audit log as they are.
   *
   * @throws {StoreError} When they do not follow its end.
   */
  noteStored(entries: readonly StoredTrailEntry[]): void {
    this.#writeEntries(entries, endAfter(this.#trail ?? this.#books.trail, entries));
  }

  /** Counts a row that is added for good. */
  countUp(rows: keyof RowCounts): void {
    this.#added[rows]++;
    this.#grow(OVERHEAD_BYTES, 1);
  }

  /** Registers the completion of an operation, which follows the commit. */
  answer(answer: Answer): void {
    this.answers.push(answer);
  }

  /** True when nothing is to be written. */
  get empty(): boolean {
    return this.journal.length + this.log.length + this.#rows.length === 0;
  }

  /** True when the commit must fold. */
  get isFold(): boolean {
    return this.#isFold;
  }

  /** Makes the commit fold. */
  fold(): void {
    this.#isFold = true;
  }

  /** Ids of the wallets that it changes. */
  get wallets(): Iterable<string> {
    return this.#wallets.keys();
  }

  /** Ids of the keys whose spend it changes. */
  get spends(): Iterable<string> {
    return this.#spends.keys();
  }

  /** Number of wallets and keys that it changes; names of budgets count by their size. */
  get changes(): number {
    return this.#wallets.size + this.#spends.size + Math.ceil(this.#namedBytes / OVERHEAD_BYTES);
  }

  /** True when further operations of other turns belong into the next commit. */
  get full(): boolean {
    return this.#bytes > FULL_COMMIT_BYTES || this.#changes > FULL_COMMIT_CHANGES;
  }

  /** True when even operations of the same turn belong into the next commit. */
  get bursting(): boolean {
    return this.#bytes > MAX_COMMIT_BYTES || this.#changes > MAX_COMMIT_CHANGES;
  }

  /** Rows besides the lines and the rows of wallets and keys. */
  get rows(): readonly Row[] {
    const ends: Row[] = [];
    if (this.#added.wallets + this.#added.keys > 0) {
      ends.push({ key: COUNTS_KEY, value: this.#counts(), bytes: OVERHEAD_BYTES });
    }
    if (this.#trail !== undefined) ends.push(jsonRow(TRAIL_HEAD, this.#trail));
    return ends.length === 0 ? this.#rows : [...this.#rows, ...ends];
  }

  /** Yields the rows of the wallets and keys that changed, also in the open commits. */
  *ledgerRows(open: OpenCommits): Generator<Row> {
    for (const id of new Set([...open.wallets.keys(), ...this.wallets])) {
      yield { key: ["wallet", keyPart(id)], value: this.wallet(id), bytes: OVERHEAD_BYTES };
    }
    for (const id of new Set([...open.spends.keys(), ...this.spends])) {
      const spend = this.spend(id);
      const bytes = OVERHEAD_BYTES + namedBytes(spend);
      yield { key: ["spend", keyPart(id)], value: spend, bytes };
    }
  }

  /** Applies the durable changes to the ledger in memory. */
  publish(): void {
    this.#books.counts = this.#counts();
    if (this.#trail !== undefined) this.#books.trail = this.#trail;
    for (const wallet of this.#wallets.values()) this.#books.wallets.set(wallet.id, wallet);
    for (const spend of this.#spends.values()) this.#books.spends.set(spend.keyId, spend);
    for (const hold of this.#opened.values()) this.#books.open(hold);
    for (const ended of this.#ended.values()) this.#books.end(ended);
    for (const [opId, credit] of this.#credits) this.#books.rememberCredit(opId, credit);
    for (const [id, sum] of this.#killedRows) {
      if (sum === undefined) this.#books.killedRows.delete(id);
      else this.#books.killedRows.set(id, sum);
    }
  }

  #writeEntries(entries: readonly StoredTrailEntry[], head: TrailHead): void {
    const first = head.place - entries.length + 1;
    entries.forEach((entry, at) => this.write(jsonRow([...TRAIL_ENTRIES, first + at], entry)));
    // Its end is one row, however many entries there are.
    if (this.#trail === undefined) this.#grow(OVERHEAD_BYTES, 1);
    this.#trail = head;
  }

  /** A name that is new in a row makes the commit fold, so that open rows do not grow. */
  #setSpend(spend: KeySpend): void {
    const { keyId } = spend;
    if (spend.named !== undefined) {
      const before = namedBytes(this.spend(keyId));
      const after = namedBytes(spend);
      if (after !== before) this.fold();
      const added = after - (this.#spends.has(keyId) ? before : 0);
      this.#namedBytes += added;
      this.#bytes += added;
    }
    this.#spends.set(keyId, spend);
  }

  #counts(): RowCounts {
    const { wallets, keys } = this.#books.counts;
    return { wallets: wallets + this.#added.wallets, keys: keys + this.#added.keys };
  }

  #grow(bytes: number, changes: number): void {
    this.#bytes += bytes;
    this.#changes += changes;
  }
}
