import { type Chain, type SegmentRow, segmentRows } from "../chain.ts";
import { MAX_READ_AHEAD_SEGMENTS, READ_AHEAD_ENTRIES } from "../limits.ts";
import { TimeSlices } from "../time_slices.ts";

/**
 * Yields the journal's segments from a number on, up to its end at the time of the call. Reads some
 * rows at a time and yields to the event loop in between.
 */
export async function* journalRows(
  kv: Deno.Kv,
  journal: Chain,
  from = 1,
): AsyncGenerator<SegmentRow, void> {
  const { segment, total } = journal.stored;
  const ahead = Math.ceil(READ_AHEAD_ENTRIES * segment / Math.max(1, total));
  const batchSize = Math.min(MAX_READ_AHEAD_SEGMENTS, Math.max(1, ahead));
  const slices = new TimeSlices();
  for await (const row of segmentRows(kv, journal, { from, batchSize })) {
    yield row;
    await slices.yieldWhenDue();
  }
}
