import type { JournalEntry } from "../../../domain/ledger/ledger.ts";
import { holdOfEntry, type ReplayedBooks, replayEntry } from "../../../domain/ledger/replay.ts";
import { budgetOwner } from "../../../domain/ledger/state.ts";
import { StoreError } from "../../../ports/store_error.ts";
import type { Books } from "../journal/books.ts";
import { decodeEntry } from "../journal/journal_codec.ts";
import { linesOf } from "./commit_row.ts";
import { OpenCommits } from "./open_commits.ts";
import type { StoredCommit } from "./read_commits.ts";

/**
 * Applies the commits since the last fold to the ledger that its rows have.
 *
 * @throws {StoreError} When an entry contradicts the ledger.
 */
export function replayCommits(commits: readonly StoredCommit[], books: Books): OpenCommits {
  const open = new OpenCommits();
  const replayed = replayedBooks(books);
  for (const { slot, row } of commits) {
    const lines = linesOf(row);
    for (const { text } of lines.journal) {
      const entry = decodeEntry(text);
      open.noteChanged({ wallets: [entry.wallet], spends: spendsOf(entry, books) }, books);
      replayEntry(replayed, entry);
    }
    open.add({ slot, hash: row.hash, ...lines });
  }
  return open;
}

/** Returns the keys whose spend an entry changes. */
function spendsOf(entry: JournalEntry, books: Books): readonly string[] {
  if (entry.op === "open" || entry.op === "credit" || entry.op === "progress") return [];
  const hold = entry.op === "hold" ? holdOfEntry(entry) : books.hold(entry.id);
  return hold === undefined ? [] : [budgetOwner(hold)];
}

function replayedBooks({ wallets, spends, holds }: Books): ReplayedBooks {
  const problems = {
    push: (sentence: string) => {
      throw new StoreError(`Cannot open the store: ${sentence}`, { isDamage: true });
    },
  };
  return { wallets, spends, holds, credits: new Set(), ended: new Set(), problems };
}
