import type { VerificationStep } from "../../../ports/ledger_store.ts";
import { compareCommits } from "../commits/compare_commits.ts";
import { Problems } from "./problems.ts";
import { compareChangedRows, SPENDS, WALLETS } from "./rows_check.ts";
import { type BooksSnapshot, verifyBooks } from "./verify.ts";
import type { Writer } from "./writer.ts";

/** A snapshot to which rows are added as they are first used. */
interface FollowedSnapshot {
  readonly snapshot: BooksSnapshot;
  /** Ends the additions. */
  readonly release: () => void;
}

/**
 * Verifies the ledger of an open store with all lines in stored segments, so that the head in the
 * result stays in the chain. Rows that the fold would replace are compared before: damage to them is
 * reported, not repaired.
 */
export async function* verification(
  kv: Deno.Kv,
  writer: Writer,
): AsyncGenerator<VerificationStep, void> {
  const problems = new Problems();
  await compareOpenRows(kv, writer, problems);
  const take = () => snapshotOf(writer);
  const { snapshot, release } = problems.first.length > 0 ? take() : await writer.sealed(take);
  try {
    yield* verifyBooks(kv, snapshot, problems);
  } finally {
    release();
  }
}

/** Compares the rows of the commits since the last fold, and the rows that they made out of date. */
async function compareOpenRows(
  kv: Deno.Kv,
  { open, versionstamp }: Writer,
  problems: Problems,
): Promise<void> {
  const moment = { versionstamp, problems };
  const rows = [...open.rows];
  const [wallets, spends] = [new Map(open.wallets), new Map(open.spends)];
  await compareChangedRows(kv, WALLETS, { before: wallets, moment });
  await compareChangedRows(kv, SPENDS, { before: spends, moment });
  await compareCommits(kv, { rows, ...moment });
}

/** Returns the ledger between two commits: without an await, so that all of it is of one moment. */
function snapshotOf(writer: Writer): FollowedSnapshot {
  const { books, journal, versionstamp, open } = writer;
  const { total } = journal;
  const [wallets, spends] = [books.wallets.follow(), books.spends.follow()];
  const snapshot = {
    ...{ journal, versionstamp, wallets, spends },
    open: { rows: [...open.rows], wallets: new Map(open.wallets), spends: new Map(open.spends) },
    holds: new Map(books.holds),
    hasGrown: () => writer.journal.total > total,
  };
  const release = () => {
    books.wallets.unfollow(wallets);
    books.spends.unfollow(spends);
  };
  return { snapshot, release };
}
