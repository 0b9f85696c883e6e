import { StoreError } from "../../../ports/store_error.ts";
import { MAX_READ_AHEAD_SEGMENTS, READ_AHEAD_ENTRIES } from "../limits.ts";
import type { Tail } from "../rows.ts";
import { TimeSlices } from "../time_slices.ts";

/** A row of the journal as read; damage may have changed it to anything. */
export interface JournalRow {
  /** The segment's number in the key. */
  readonly number: unknown;
  readonly value: unknown;
}

/**
 * Yields the journal's rows from a segment on, up to its end at the time of the call. Reads one row
 * at a time and yields to the event loop in between.
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
  const slices = new TimeSlices();
  try {
    for await (const { key, value } of rows) {
      yield { number: key[1], value };
      await slices.yieldWhenDue();
    }
  } catch (cause) {
    throw new StoreError("Cannot read the journal", { cause });
  }
}
