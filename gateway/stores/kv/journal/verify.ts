/**
 * Proves that the ledger is right by recomputing it from the journal.
 *
 * @module
 */

import type { Hold, KeySpend, Wallet } from "../../../domain/ledger/ledger.ts";
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
import { Problems } from "./problems.ts";
import {
  compareBooks,
  compareChangedRows,
  compareHolds,
  compareRows,
  type RowKind,
} from "./rows_check.ts";
import { SeenIds } from "./seen_ids.ts";
import type { Writer } from "./writer.ts";
import type { Chain } from "../chain.ts";
import { compareCommits } from "../commits/compare_commits.ts";
import type { OpenCommits } from "../commits/open_commits.ts";

/** The ledger at one moment between two commits, for comparison with the journal. */
export interface BooksSnapshot {
  readonly journal: Chain;
  /** Versionstamp of the last commit. */
  readonly versionstamp: string;
  readonly wallets: ReadonlyMap<string, Wallet>;
  readonly spends: ReadonlyMap<string, KeySpend>;
  /** Open holds. */
  readonly holds: ReadonlyMap<string, Hold>;
  /** The commits since the last fold: rows of wallets and keys are older than these. */
  readonly open: Pick<OpenCommits, "rows" | "wallets" | "spends">;
}

const WALLETS: RowKind = { what: "Wallet", prefix: "wallet", idField: "id" };
const SPENDS: RowKind = { what: "Key", prefix: "spend", idField: "keyId" };

/**
 * Checks the hash chain, replays every entry, and compares the result with wallets, keys, open
 * holds and credits, in memory and in their rows. Works on the journal up to the snapshot, also
 * while it grows. Yields after each segment; a consumer that stops iterating ends the work.
 */
export async function* verifyBooks(
  kv: Deno.Kv,
  snapshot: BooksSnapshot,
): AsyncGenerator<VerificationStep, void> {
  const { journal, versionstamp, wallets, spends, holds, open } = snapshot;
  const problems = new Problems();
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
  await compareBooks(WALLETS, wallets, { replayed: replayed.wallets, problems });
  await compareBooks(SPENDS, spends, { replayed: replayed.spends, problems });
  await compareHolds(holds, replayed.holds, problems);
  const moment = { versionstamp, problems };
  await compareRows(kv, WALLETS, { books: wallets, before: open.wallets, moment });
  await compareRows(kv, SPENDS, { books: spends, before: open.spends, moment });
  await compareCommits(kv, { rows: open.rows, ...moment });
  await credits.compare(kv, moment);
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

/**
 * Verifies the ledger with all lines in stored segments, so that the head in the result stays in the
 * chain. Rows that the fold would replace are compared before: damage to them is reported, not
 * repaired.
 */
export async function* verifySealed(
  kv: Deno.Kv,
  writer: Pick<Writer, "sealed">,
  take: () => BooksSnapshot,
): AsyncGenerator<VerificationStep, void> {
  const { open, versionstamp } = take();
  const problems = new Problems();
  const moment = { versionstamp, problems };
  await compareChangedRows(kv, WALLETS, { before: open.wallets, moment });
  await compareChangedRows(kv, SPENDS, { before: open.spends, moment });
  await compareCommits(kv, { rows: open.rows, ...moment });
  yield* verifyBooks(kv, problems.first.length > 0 ? take() : await writer.sealed(take));
}

function replayLine(line: string, books: ReplayedBooks, credits: CreditRowsCheck): void {
  try {
    const entry = decodeEntry(line);
    replayEntry(books, entry);
    if (entry.op === "credit") {
      credits.add(entry.id, { walletId: entry.wallet, amount: entry.amount });
    }
  } catch (error) {
    books.problems.push(`The line is not a journal entry (${error})`);
  }
}
