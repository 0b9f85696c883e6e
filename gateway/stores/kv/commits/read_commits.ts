import { StoreError } from "../../../ports/store_error.ts";
import { MAX_OPEN_COMMITS } from "../limits.ts";
import { COMMIT_ROWS, type Head } from "../rows.ts";
import { type CommitRow, decodeCommit, type Slot } from "./commit_row.ts";
import { Slots } from "./slots.ts";

/** A commit after the last fold. */
export interface StoredCommit {
  readonly slot: Slot;
  readonly row: CommitRow;
}

/**
 * Reads the commits after the last fold, in order, and the versionstamps of all commit rows.
 *
 * @throws {StoreError} When a row is missing or changed.
 */
export async function readCommits(
  kv: Deno.Kv,
  head: Head,
): Promise<{ readonly open: readonly StoredCommit[]; readonly slots: Slots }> {
  const commits: StoredCommit[] = [];
  const slots = new Slots();
  const rows = kv.list({ prefix: COMMIT_ROWS }, { batchSize: MAX_OPEN_COMMITS });
  for await (const { key: [_prefix, size, index], value, versionstamp } of rows) {
    const slot = { size: Number(size), index: Number(index) };
    if (slot.index !== (slots.counts[slot.size] ?? 0)) throw changed();
    slots.set(slot, versionstamp);
    commits.push({ slot, row: decodeCommit(value) });
  }
  const { counts } = slots;
  if (head.slots?.some((count, size) => count > (counts[size] ?? 0))) throw changed();
  return { open: openCommits(commits, head), slots };
}

/**
 * Returns the commits after the last fold from all commit rows, in order.
 *
 * @throws {StoreError} When a row is missing or changed.
 */
export function openCommits<Commit extends Pick<StoredCommit, "row">>(
  commits: readonly Commit[],
  head: Pick<Head, "commit" | "journal">,
): Commit[] {
  // The other rows are of earlier rounds.
  const open = commits.filter(({ row }) => row.commit > head.commit)
    .sort((a, b) => a.row.commit - b.row.commit);
  let { commit, journal: { hash } } = head;
  for (const { row } of open) {
    if (row.commit !== ++commit || row.previous !== hash) throw changed();
    ({ hash } = row);
  }
  return open;
}

function changed(): StoreError {
  const message = "Cannot open the store: a commit row is missing or changed";
  return new StoreError(message, { isDamage: true });
}
