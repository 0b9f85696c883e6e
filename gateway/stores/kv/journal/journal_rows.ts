import { StoreError } from "../../../ports/store_error.ts";
import { MAX_READ_AHEAD_SEGMENTS, READ_AHEAD_ENTRIES } from "../limits.ts";
import type { Tail } from "../rows.ts";
import { Turns } from "../turns.ts";

/** A row of the journal as it was found: damage may have made it anything. */
export interface JournalRow {
  /** What stands in the key: the segment's number. */
  readonly number: unknown;
  readonly value: unknown;
}

/**
 * The journal's rows from a segment on, up to where it ended at some moment: what is appended while
 * they are read is left out. A row at a time, and the rest of the service has its turns in between.
 */
export async function* journalRows(
  kv: Deno.Kv,
  journal: Tail,
  from = 1,
): AsyncGenerator<JournalRow, void> {
  const { segment, total } = journal;
  const ahead = Math.ceil(READ_AHEAD_ENTRIES * segment / Math.max(1, total));
  const batchSize = Math.min(MAX_READ_AHEAD_SEGMENTS, Math.max(1, ahead));
  const rows = kv.list({ start: ["journal", from], end: ["journal", segment + 1] }, { batchSize });
  const turns = new Turns();
  try {
    for await (const { key, value } of rows) {
      yield { number: key[1], value };
      await turns.share();
    }
  } catch (cause) {
    throw new StoreError("Cannot read the journal", { cause });
  }
}
