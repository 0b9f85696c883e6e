/**
 * Proves that the ledger is right by recomputing it from the journal.
 *
 * @module
 */

import type { Hold, KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
import { operationOf } from "../../../domain/ledger/correction.ts";
import {
  emptyBooks,
  type ProblemList,
  type ReplayedBooks,
  replayEntry,
} from "../../../domain/ledger/replay.ts";
import type { VerificationStep } from "../../../ports/ledger_store.ts";
import { ChainCheck } from "./chain_check.ts";
import { CreditRowsCheck } from "./credit_rows.ts";
import { decodeEntry } from "./journal_codec.ts";
import { journalRows } from "./journal_rows.ts";
import { compareMovedKeys } from "./moved_keys.ts";
import { Problems } from "./problems.ts";
import {
  compareBooks,
  compareHolds,
  compareRows,
  type RowKind,
  type RowsExpected,
  SPENDS,
  WALLETS,
} from "./rows_check.ts";
import { SeenIds } from "./seen_ids.ts";
import type { Chain } from "../chain.ts";
import { compareCommits } from "../commits/compare_commits.ts";
import type { OpenCommits } from "../commits/open_commits.ts";

/** The ledger at one moment between two commits, for comparison with the journal. */
export interface BooksSnapshot {
  readonly journal: Chain;
  /** Versionstamp of the last commit. */
  readonly versionstamp: string;
  /**
   * Wallets in memory. Those that change during the verification are added before they do; all
   * others are as their rows are.
   */
  readonly wallets: ReadonlyMap<string, Wallet | undefined>;
  /** Spends of keys, likewise. */
  readonly spends: ReadonlyMap<string, KeySpend | undefined>;
  /** Open holds. */
  readonly holds: ReadonlyMap<string, Hold>;
  /** The commits since the last fold: rows of wallets and keys are older than these. */
  readonly open: Pick<OpenCommits, "rows" | "wallets" | "spends">;
  /** True once the journal has more entries than the snapshot. */
  readonly hasGrown: () => boolean;
}

/**
 * Checks the hash chain, replays every entry, and compares the result with wallets, keys, open
 * holds and credits, in memory and in their rows, and with the wallets of moved keys. Works on the journal up to the snapshot, also
 * while it grows. Yields after each segment; a consumer that stops iterating ends the work. Adds to
 * the problems that are known already.
 */
export async function* verifyBooks(
  kv: Deno.Kv,
  snapshot: BooksSnapshot,
  problems: Problems = new Problems(),
): AsyncGenerator<VerificationStep, void> {
  const { journal, versionstamp, wallets, spends, holds, open, hasGrown } = snapshot;
  const chain = new ChainCheck(problems);
  let entries = 0;
  let place = 0;
  const problemList: ProblemList = {
    push: (sentence) =>
      problems.push(
        `${sentence}, says entry ${place} in journal segment ${chain.segment}: compare it with ` +
          "an earlier export and restore the store from a backup",
      ),
  };
  const replayed = emptyBooks(problemList, () => new SeenIds());
  const credits = new CreditRowsCheck();
  for await (const row of journalRows(kv, journal)) {
    const lines = chain.next(row);
    place = chain.total - lines.length;
    for (const line of lines) {
      place++;
      replayLine(line, replayed, credits);
    }
    entries += lines.length;
    yield { entries, total: journal.total };
  }
  chain.end(journal.end);
  const moment = { versionstamp, problems };
  await compareKind(kv, WALLETS, {
    books: wallets,
    before: open.wallets,
    replayed: replayed.wallets,
    moment,
  });
  await compareKind(kv, SPENDS, {
    books: spends,
    before: open.spends,
    replayed: replayed.spends,
    moment,
  });
  await compareHolds(holds, replayed.holds, problems);
  await compareCommits(kv, { rows: open.rows, ...moment });
  await credits.compare(kv, moment);
  await compareMovedKeys(kv, replayed.moved, { ...moment, hasGrown });
  const result = {
    entries,
    segments: journal.last,
    head: journal.end.hash,
    wallets: replayed.wallets.size,
    keys: replayed.spends.size,
    openHolds: replayed.holds.size,
    problems: problems.first,
    moreProblems: problems.more,
  };
  yield { entries, total: journal.total, result };
}

/** Compares one kind of what is in memory with the journal, and its rows with both. */
async function compareKind(
  kv: Deno.Kv,
  kind: RowKind,
  expected: Omit<RowsExpected, "compared">,
): Promise<void> {
  const { books, replayed, moment: { problems } } = expected;
  const compared = await compareBooks(kind, books, { replayed, problems });
  await compareRows(kv, kind, { ...expected, compared });
}

function replayLine(line: string, books: ReplayedBooks, credits: CreditRowsCheck): void {
  try {
    const entry = decodeEntry(line);
    replayEntry(books, entry);
    const operation = operationOf(entry);
    if (operation !== undefined && "id" in entry) credits.add(entry.id, operation);
  } catch (error) {
    books.problems.push(`The line is not a journal entry (${error})`);
  }
}
