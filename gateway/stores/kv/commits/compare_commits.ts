import type { ProblemList } from "../../../domain/ledger/replay.ts";
import { read } from "../read.ts";
import { commitKey, decodeCommit } from "./commit_row.ts";
import type { OpenRow } from "./open_commits.ts";

const RESTORE = "restore the store from a backup";

/**
 * Compares the rows of the commits since the last fold with their hashes in memory. Rows that the
 * gateway has written since are skipped.
 */
export async function compareCommits(
  kv: Deno.Kv,
  { rows, versionstamp, problems }: {
    readonly rows: readonly OpenRow[];
    readonly versionstamp: string;
    readonly problems: ProblemList;
  },
): Promise<void> {
  for (const { slot, hash } of rows) {
    const row = await read(kv.get(commitKey(slot)));
    if (row.versionstamp === null) problems.push(`A commit row is missing: ${RESTORE}`);
    else if (row.versionstamp <= versionstamp && hashOf(row.value) !== hash) {
      problems.push(`A commit row was changed after it was written: ${RESTORE}`);
    }
  }
}

function hashOf(value: unknown): string | undefined {
  try {
    return decodeCommit(value).hash;
  } catch {
    return undefined;
  }
}
