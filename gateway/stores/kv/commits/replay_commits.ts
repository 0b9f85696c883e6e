import type { JournalEntry } from "../../../domain/ledger/ledger.ts";
import {
  emptyBooks,
  holdOfEntry,
  type ReplayedBooks,
  replayEntry,
} from "../../../domain/ledger/replay.ts";
import { budgetOwner } from "../../../domain/ledger/state.ts";
import { StoreError } from "../../../ports/store_error.ts";
import type { PinnedRows } from "../journal/books.ts";
import { decodeEntry } from "../journal/journal_codec.ts";
import { linesOf } from "./commit_row.ts";
import { OpenCommits } from "./open_commits.ts";
import type { StoredCommit } from "./read_commits.ts";

/** The ledger as far as the commits since the last fold change it. */
type ChangedBooks = Pick<ReplayedBooks, "wallets" | "spends" | "holds">;

/**
 * Returns the rows that commits change, except those of holds from before: the rows of these are
 * those of the open holds.
 */
export function rowsOfCommits(commits: readonly StoredCommit[]): PinnedRows[] {
  return commits.flatMap(({ row }) =>
    linesOf(row).journal.map(({ text }) => {
      const entry = decodeEntry(text);
      const keyId = entry.op === "hold" ? budgetOwner(holdOfEntry(entry)) : undefined;
      return { walletId: entry.wallet, keyId };
    })
  );
}

/**
 * Applies the commits since the last fold to the ledger that its rows have.
 *
 * @throws {StoreError} When an entry contradicts the ledger.
 */
export function replayCommits(commits: readonly StoredCommit[], books: ChangedBooks): OpenCommits {
  const open = new OpenCommits();
  const before = {
    wallet: (id: string) => books.wallets.get(id),
    spend: (keyId: string) => books.spends.get(keyId),
  };
  const replayed = { ...emptyBooks(problems), ...books };
  for (const { slot, row } of commits) {
    const lines = linesOf(row);
    for (const { text } of lines.journal) {
      const entry = decodeEntry(text);
      open.noteChanged({ wallets: [entry.wallet], spends: spendsOf(entry, books) }, before);
      replayEntry(replayed, entry);
    }
    open.add({ slot, hash: row.hash, ...lines });
  }
  return open;
}

const problems = {
  push(sentence: string): never {
    throw new StoreError(`Cannot open the store: ${sentence}`, { isDamage: true });
  },
};

/** Returns the keys whose spend an entry changes. */
function spendsOf(entry: JournalEntry, { holds }: ChangedBooks): readonly string[] {
  if (!("key" in entry) || entry.op === "progress") return [];
  const hold = entry.op === "hold" ? holdOfEntry(entry) : holds.get(entry.id);
  return hold === undefined ? [] : [budgetOwner(hold)];
}
