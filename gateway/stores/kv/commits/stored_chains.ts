import { Chain } from "../chain.ts";
import type { Head } from "../rows.ts";
import { decodeCommit, linesOf } from "./commit_row.ts";
import { openCommits } from "./read_commits.ts";

/**
 * Returns journal and request log of a store from its head and the values of all its commit rows,
 * for a reader beside Deno KV.
 *
 * @throws {StoreError} When a commit row is missing or changed.
 */
export function storedChains(
  head: Pick<Head, "commit" | "journal" | "log">,
  values: readonly unknown[],
): { readonly journal: Chain; readonly log: Chain } {
  const commits = values.map((value) => ({ row: decodeCommit(value) }));
  const lines = openCommits(commits, head).map(({ row }) => linesOf(row));
  return {
    journal: new Chain("journal", head.journal, lines.flatMap(({ journal }) => journal)),
    log: new Chain("log", head.log, lines.flatMap(({ log }) => log)),
  };
}
