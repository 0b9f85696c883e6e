import type { KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import type { LedgerView } from "../../../domain/ledger/state.ts";
import { MAX_COMMIT_ROW_BYTES, MAX_OPEN_BYTES, MAX_OPEN_CHANGES } from "../limits.ts";
import type { ChangedIds } from "../journal/books.ts";
import { namedBytes } from "../journal/spend_bytes.ts";
import type { Line } from "../segment.ts";
import type { Slot } from "./commit_row.ts";

/** Size of the row of a wallet or a key, in bytes. */
const ROW_BYTES = 256;

/** A row of a commit. */
export interface OpenRow {
  readonly slot: Slot;
  readonly hash: string;
}

/** A commit with a row of its own. */
export interface OpenCommit extends OpenRow {
  readonly journal: readonly Line[];
  readonly log: readonly Line[];
}

/**
 * The commits since the last fold: the lines of the open segments, and the wallets and keys whose
 * rows are out of date.
 */
export class OpenCommits {
  /** Lines of the open segments of each chain; only appended to. */
  readonly journal: Line[] = [];
  readonly log: Line[] = [];
  /** The rows, in order of their commits. */
  readonly rows: OpenRow[] = [];
  /** By id, the wallets and spends as their rows have them; `undefined` for a missing row. */
  readonly wallets: Map<string, Wallet | undefined> = new Map();
  readonly spends: Map<string, KeySpend | undefined> = new Map();
  /** Number of rows by the number of their size. */
  readonly #used: number[] = [];
  /** Size of the names of budgets in the rows of spends, which is the same at each of its commits. */
  #namedBytes = 0;
  #journalBytes = 0;
  #logBytes = 0;

  /** Number of commits. */
  get count(): number {
    return this.rows.length;
  }

  /** Returns the place of the next row of a size. */
  nextSlot(size: number): Slot {
    return { size, index: this.#used[size] ?? 0 };
  }

  /** Size of the lines, in bytes. */
  get bytes(): number {
    return this.#journalBytes + this.#logBytes;
  }

  /** Number of rows of wallets and keys that are out of date; names of budgets count by their size. */
  get changes(): number {
    return this.wallets.size + this.spends.size + Math.ceil(this.#namedBytes / ROW_BYTES);
  }

  /** Ids of the wallets and spends whose rows are out of date. */
  get changed(): ChangedIds {
    return { wallets: this.wallets.keys(), spends: this.spends.keys() };
  }

  /**
   * Notes the rows that become out of date, and returns those that were not yet; `before` is the
   * ledger without the changes.
   */
  noteChanged(changed: ChangedIds, before: Pick<LedgerView, "wallet" | "spend">): ChangedIds {
    const wallets = [...changed.wallets].filter((id) => !this.wallets.has(id));
    const spends = [...changed.spends].filter((id) => !this.spends.has(id));
    for (const id of wallets) this.wallets.set(id, before.wallet(id));
    for (const id of spends) {
      const spend = before.spend(id);
      this.spends.set(id, spend);
      this.#namedBytes += namedBytes(spend);
    }
    return { wallets, spends };
  }

  /** Adds a commit. */
  add({ slot, hash, journal, log }: OpenCommit): void {
    this.rows.push({ slot, hash });
    this.#used[slot.size] = slot.index + 1;
    this.journal.push(...journal);
    this.log.push(...log);
    this.#journalBytes += bytesOfLines(journal);
    this.#logBytes += bytesOfLines(log);
  }

  /** True when a further commit fits. */
  hasRoom(
    { journal, log, changes }: {
      readonly journal: readonly Line[];
      readonly log: readonly Line[];
      /** Number of wallets and keys that it changes. */
      readonly changes: number;
    },
    maxCommits: number,
  ): boolean {
    if (this.count >= maxCommits || this.changes + changes > MAX_OPEN_CHANGES) return false;
    const journalBytes = bytesOfLines(journal);
    const logBytes = bytesOfLines(log);
    return journalBytes + logBytes <= MAX_COMMIT_ROW_BYTES &&
      this.#journalBytes + journalBytes < MAX_OPEN_BYTES &&
      this.#logBytes + logBytes < MAX_OPEN_BYTES;
  }
}

function bytesOfLines(lines: readonly Line[]): number {
  let sum = 0;
  for (const { bytes } of lines) sum += bytes + 1;
  return sum;
}
